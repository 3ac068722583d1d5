#include "weights/synth_case.h"

#include "base/json.h"
#include "base/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace ramet {
namespace {

namespace fs = std::filesystem;

struct Case {
  fs::path directory;
  uint64_t seed = 0;
  std::vector<SynthProfile> profiles;  // the default first

  fs::path checkpoint() const { return directory / "checkpoint"; }
  fs::path list() const { return checkpoint() / "tensors.tsv"; }
  fs::path list(SynthProfile profile) const { return checkpoint() / fmt::format("tensors.{}.tsv", name(profile)); }
};

Result<std::vector<std::string>> read_profile_names(const Json& json) {
  if (json.has("profiles")) return json.get<std::vector<std::string>>("profiles");
  RAMET_TRY(const auto profile, json.get<std::string>("profile"));
  return std::vector{profile};
}

Result<Case> read_case(const fs::path& directory) {
  RAMET_TRY(const JsonFile file, JsonFile::load(directory / "case.json"));
  Case result;
  result.directory = directory;
  RAMET_TRY(const int64_t seed, file.root().get<int64_t>("seed"));
  if (seed < 0) return fail(Code::invalid_value, file.name() + ": seed", "0 or more", std::to_string(seed));
  result.seed = static_cast<uint64_t>(seed);
  RAMET_TRY(const auto names, read_profile_names(file.root()));
  for (const std::string& name : names) {
    RAMET_TRY(const SynthProfile profile, parse_synth_profile(name));
    result.profiles.push_back(profile);
  }
  if (result.profiles.empty()) return fail(Code::invalid_value, file.name() + ": profiles", "at least one", "none");
  return result;
}

bool is_tensor_list(const fs::path& file) {
  const std::string name = file.filename().string();
  return name.starts_with("tensors") && name.ends_with(".tsv");
}

// The copy can be edited, even where the goldens are read-only.
Status copy_one(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::create_directories(to.parent_path(), error);
  if (!error) fs::copy_file(from, to, error);
  if (!error) fs::permissions(to, fs::perms::owner_write, fs::perm_options::add, error);
  if (!error) return {};
  return fail(Code::no_resource, to.string(), "a copy of " + from.string(), error.message());
}

Status copy_files(const fs::path& from, const fs::path& to) {
  std::error_code error;
  std::vector<fs::path> files;
  for (const auto& item : fs::recursive_directory_iterator(from, error))
    if (item.is_regular_file(error) && !is_tensor_list(item.path())) files.push_back(item.path());
  if (error) return fail(Code::not_found, from.string(), "a readable directory", error.message());
  for (const fs::path& file : files) RAMET_TRY_STATUS(copy_one(file, to / file.lexically_relative(from)));
  return {};
}

void forget_hashes(std::vector<ListedTensor>& tensors) {
  for (ListedTensor& tensor : tensors) tensor.hash.clear();
}

// Replaces the hashes of the tensors that the other profile changes.
Status overlay_hashes(std::vector<ListedTensor>& tensors, const fs::path& path) {
  RAMET_TRY(const auto changed, load_tensor_list(path));
  std::map<std::string_view, ListedTensor*> by_name;
  for (ListedTensor& tensor : tensors) by_name[tensor.spec.name] = &tensor;
  for (const ListedTensor& tensor : changed) {
    const auto it = by_name.find(tensor.spec.name);
    if (it == by_name.end() || it->second->spec != tensor.spec)
      return fail(Code::invalid_file, fmt::format("{}: {}", path.string(), tensor.spec.name),
                  "a tensor of tensors.tsv, of the same type and shape", str(tensor.spec.shape));
    it->second->hash = tensor.hash;
  }
  return {};
}

Result<std::vector<ListedTensor>> load_tensors(const Case& golden, const SynthSeed& seed) {
  std::error_code error;
  if (!fs::exists(golden.list(), error))
    return fail(Code::not_found, golden.list().string(), "the list of the case's tensors", "none",
                "this case holds no model");
  RAMET_TRY(auto tensors, load_tensor_list(golden.list()));
  const bool has_overlay = fs::exists(golden.list(seed.profile), error);
  if (seed.seed != golden.seed || (seed.profile != golden.profiles.front() && !has_overlay))
    forget_hashes(tensors);
  else if (seed.profile != golden.profiles.front())
    RAMET_TRY_STATUS(overlay_hashes(tensors, golden.list(seed.profile)));
  return tensors;
}

}  // namespace

Result<SynthReport> synth_from_case(const fs::path& case_directory, const fs::path& out,
                                    const SynthCaseOptions& options, ThreadPool& pool) {
  RAMET_TRY(const Case golden, read_case(case_directory));
  const SynthSeed seed{options.seed.value_or(golden.seed), options.profile.value_or(golden.profiles.front())};
  RAMET_TRY(const auto tensors, load_tensors(golden, seed));
  RAMET_TRY(OutputDirectory directory, OutputDirectory::create(out, options.existing));
  RAMET_TRY_STATUS(copy_files(golden.checkpoint(), directory.path()));
  std::error_code error;
  if (fs::exists(case_directory / "companion", error))
    RAMET_TRY_STATUS(copy_files(case_directory / "companion", directory.path() / "backbone"));
  const SynthOptions synth{.seed = seed, .progress = options.progress};
  RAMET_TRY(const SynthReport report, write_synthetic(tensors, golden.list().string(), directory.path(), synth, pool));
  RAMET_TRY_STATUS(directory.commit());
  return report;
}

}  // namespace ramet
