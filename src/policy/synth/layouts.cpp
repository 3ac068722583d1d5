#include "policy/synth/layouts.h"

#include "base/atomic_file.h"
#include "base/names.h"
#include "models/qwen3_vl_config.h"
#include "policy/synth/gr00t_n15_layout.h"
#include "policy/synth/gr00t_n16_layout.h"
#include "policy/synth/gr00t_n17_layout.h"
#include "policy/synth/qwen_layout.h"

#include <algorithm>

namespace ramet {
namespace {

constexpr std::string_view kN15 = "n15";
constexpr std::string_view kN16 = "n16";
constexpr std::string_view kN17 = "n17";

// "Qwen/Qwen3-VL-2B-Instruct" -> "qwen3-vl-2b"
std::string short_name(std::string_view published) {
  std::string name(published.substr(published.find('/') + 1));
  if (const size_t end = name.find("-Instruct"); end != std::string::npos) name.resize(end);
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name;
}

}  // namespace

std::vector<std::string> synth_versions() {
  std::vector<std::string> versions{std::string(kN15), std::string(kN16), std::string(kN17)};
  for (const PublishedModel& model : published_qwen3_vl_models())
    if (model.name.starts_with("Qwen/")) versions.push_back(short_name(model.name));
  return versions;
}

Result<SynthLayout> published_layout(std::string_view version, SynthSize size) {
  if (version == kN15) return gr00t_n15_layout(size);
  if (version == kN16) return gr00t_n16_layout(size);
  if (version == kN17) return gr00t_n17_layout(size);
  for (const PublishedModel& model : published_qwen3_vl_models())
    if (model.name.starts_with("Qwen/") && short_name(model.name) == version) return qwen_layout(model.config, size);
  return fail(Code::not_found, "version", "a published model", std::string(version),
              nearest_hint(version, synth_versions()));
}

Result<SynthReport> write_layout(const SynthLayout& layout, const std::filesystem::path& out, Existing existing,
                                 const SynthOptions& options, ThreadPool& pool) {
  RAMET_TRY(OutputDirectory directory, OutputDirectory::create(out, existing));
  for (const SynthFile& file : layout.files) {
    const std::filesystem::path path = directory.path() / file.path;
    std::error_code error;
    std::filesystem::create_directories(path.parent_path(), error);
    RAMET_TRY_STATUS(write_file(path, file.text));
  }
  std::vector<ListedTensor> tensors;
  for (const TensorSpec& spec : layout.tensors) tensors.push_back({spec, {}});
  RAMET_TRY(const SynthReport report, write_synthetic(tensors, "layout", directory.path(), options, pool));
  RAMET_TRY_STATUS(directory.commit());
  return report;
}

}  // namespace ramet
