// ramet synth: a synthetic checkpoint in a published layout.
#include "command.h"
#include "report.h"
#include "settings.h"
#include "text.h"

#include "device/cpu.h"
#include "policy/synth/layouts.h"
#include "weights/synth_case.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>

namespace ramet::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct SynthResult {
  SynthReport report;
  double seconds = 0;
};

class Synth : public Command {
 public:
  void declare(Options& options) override;
  Result<int> run(Console& console) override;

 private:
  Status check_usage() const;
  Result<SynthReport> write(Console& console) const;
  Existing existing() const { return force_ ? Existing::replace : Existing::refuse; }
  nlohmann::ordered_json document(const SynthResult& result) const;
  std::string text(const SynthResult& result) const;

  std::filesystem::path out_, from_;
  std::string version_;
  SynthSize size_ = SynthSize::tiny;
  std::optional<uint64_t> seed_;
  std::optional<SynthProfile> profile_;
  bool force_ = false;
  Settings settings_{"threads"};
};

Status store_version(const Given& given, std::string& version) {
  const std::vector<std::string> known = synth_versions();
  if (std::ranges::find(known, given.text) == known.end())
    return misfit(given, fmt::format("one of {}", fmt::join(known, ", ")), did_you_mean(given.text, known));
  version = given.text;
  return {};
}

Status store_size(const Given& given, SynthSize& size) {
  if (given.text != "tiny" && given.text != "full") return misfit(given, "tiny or full");
  size = given.text == "full" ? SynthSize::full : SynthSize::tiny;
  return {};
}

Status store_seed(const Given& given, std::optional<uint64_t>& seed) {
  RAMET_TRY(seed, parse_unsigned(given));
  return {};
}

Status store_profile(const Given& given, std::optional<SynthProfile>& profile) {
  const Result<SynthProfile> parsed = parse_synth_profile(given.text);
  if (!parsed) return misfit(given, "plain or spiky");
  profile = *parsed;
  return {};
}

void Synth::declare(Options& options) {
  options.argument({.name = "OUT", .meaning = "directory to write"}, out_);
  options.option({.name = "--version",
                  .value = "NAME",
                  .meaning = fmt::format("published layout to write: {}", fmt::join(synth_versions(), ", ")),
                  .example = "n17"},
                 [this](const Given& given) { return store_version(given, version_); });
  options.option({.name = "--size",
                  .value = "NAME",
                  .meaning = "of a --version; full: the published sizes, tiny: some megabytes",
                  .fallback = "tiny",
                  .example = "full"},
                 [this](const Given& given) { return store_size(given, size_); });
  options.option({.name = "--from",
                  .value = "CASE",
                  .meaning = "golden case, instead of --version: its files are copied, its tensors' hashes checked",
                  .example = "goldens/n17_libero"},
                 from_);
  options.option({.name = "--seed",
                  .value = "N",
                  .meaning = "seed of the weights",
                  .fallback = "1, or the case's",
                  .example = "7"},
                 [this](const Given& given) { return store_seed(given, seed_); });
  options.option({.name = "--profile",
                  .value = "NAME",
                  .meaning = "plain, or spiky: outlier channels as in real language models",
                  .fallback = "plain, or the case's",
                  .example = "spiky"},
                 [this](const Given& given) { return store_profile(given, profile_); });
  options.flag({.name = "--force", .meaning = "write into a directory that holds files; its old weights go"}, force_);
  settings_.declare(options);
}

Status Synth::check_usage() const {
  if (from_.empty() != version_.empty()) return {};
  return fail(Code::usage, "ramet synth", "either --version NAME or --from CASE", from_.empty() ? "none" : "both",
              fmt::format("versions: {}", fmt::join(synth_versions(), ", ")));
}

SynthProgress progress_of(Console& console) {
  return [&console](uint64_t done, uint64_t total) {
    const auto bytes = static_cast<double>(total);
    console.progress().update("writing weights", static_cast<double>(done) / bytes, bytes);
  };
}

Result<SynthReport> Synth::write(Console& console) const {
  const int asked = settings_.values().threads;
  ThreadPool pool(asked > 0 ? asked : physical_cores());
  if (!from_.empty())
    return synth_from_case(
        from_, out_, {.seed = seed_, .profile = profile_, .existing = existing(), .progress = progress_of(console)},
        pool);
  RAMET_TRY(const SynthLayout layout, published_layout(version_, size_));
  SynthOptions options;
  options.seed = {.seed = seed_.value_or(1), .profile = profile_.value_or(SynthProfile::plain)};
  options.progress = progress_of(console);
  return write_layout(layout, out_, existing(), options, pool);
}

nlohmann::ordered_json Synth::document(const SynthResult& result) const {
  return {{"directory", out_.string()},
          {"tensors", result.report.tensors},
          {"weight_bytes", result.report.bytes},
          {"hashes_checked", result.report.hashes_checked},
          {"total_ms", 1000 * result.seconds}};
}

std::string Synth::text(const SynthResult& result) const {
  const auto bytes = static_cast<double>(result.report.bytes);
  return fmt::format("{}: {} tensors, {} in {:.1f} s ({}/s), {} hashes checked\n", printable(out_.string()),
                     result.report.tensors, human_bytes(bytes), result.seconds, human_bytes(bytes / result.seconds),
                     result.report.hashes_checked);
}

Result<int> Synth::run(Console& console) {
  RAMET_TRY_STATUS(check_usage());
  RAMET_TRY_STATUS(settings_.resolve({}));
  const Clock::time_point start = Clock::now();
  RAMET_TRY(const SynthReport report, write(console));
  const SynthResult result{report, std::chrono::duration<double>(Clock::now() - start).count()};
  if (console.json())
    console.print_json(document(result));
  else
    console.print(text(result));
  return kDone;
}

}  // namespace

std::unique_ptr<Command> make_synth() { return std::make_unique<Synth>(); }

}  // namespace ramet::cli
