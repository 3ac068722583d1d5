// ramet verify: every intermediate result against a dump, tap by tap.
#include "command.h"
#include "observation_options.h"
#include "report.h"
#include "settings.h"
#include "table.h"
#include "tap_comparison.h"
#include "tap_dump.h"

#include <ramet/image.h>
#include <ramet/policy.h>
#include <ramet/vision_tower.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace ramet::cli {
namespace {

using nlohmann::ordered_json;

constexpr double kDefaultGate = 3e-5;  // float32 against float32: spec goldens

// A pattern that fits this name alone.
std::string as_glob(const std::string& name) {
  std::string glob;
  for (const char c : name)
    glob += std::string_view("*?[]\\").find(c) == std::string_view::npos ? std::string(1, c) : std::string{'\\', c};
  return glob;
}

std::vector<std::string> as_globs(const std::vector<std::string>& names) {
  std::vector<std::string> globs;
  for (const std::string& name : names) globs.push_back(as_glob(name));
  return globs;
}

std::string str(const std::vector<int64_t>& list) { return fmt::format("[{}]", fmt::join(list, ",")); }

class Verify : public Command {
 public:
  void declare(Options& options) override;
  Result<int> run(Console& console) override;

 private:
  Status check_usage() const;
  Result<std::vector<Tap>> run_policy(const std::vector<std::string>& globs, Console& console);
  Result<std::vector<Tap>> run_tower(const std::vector<std::string>& globs, Console& console);
  Result<std::vector<TapVerdict>> compare_all(const std::vector<Tap>& ours, const TapDump& dump) const;
  int verdict(const std::vector<TapVerdict>& verdicts, Console& console) const;
  ordered_json document(const std::vector<TapVerdict>& verdicts) const;

  std::filesystem::path directory_, against_;
  std::vector<std::filesystem::path> images_, frames_;
  Settings settings_{"embodiment", "data-config", "executor", "threads", "backbone",
                     "tokenizer",  "steps",       "seed",     "quirks"};
  ObservationOptions observation_;
  NoiseOption noise_;
  TapSelection selection_;
  double gate_ = kDefaultGate;
};

void Verify::declare(Options& options) {
  options.argument({.name = "DIR", .meaning = "checkpoint directory, or a .safetensors file beside its config"},
                   directory_);
  options.option({.name = "--against",
                  .value = "FILE",
                  .meaning = "safetensors file of taps by name, from --taps or another implementation; required",
                  .example = "reference.safetensors"},
                 against_);
  options.option({.name = "--gate",
                  .value = "X",
                  .meaning = "largest |ours - theirs| / |theirs| over a tap, euclidean norms; integers must be equal",
                  .fallback = "3e-5",
                  .example = "1e-4"},
                 [this](const Given& given) -> Status {
                   RAMET_TRY(gate_, parse_number(given));
                   return gate_ >= 0 ? Status{} : misfit(given, "a number that is not negative");
                 });
  options.option({.name = "--prefix",
                  .value = "PREFIX",
                  .meaning = "take the taps of the file under this prefix, without it",
                  .example = "droid.plain.",
                  .repeatable = true},
                 selection_.prefixes);
  options.option(
      {.name = "--only", .value = "GLOB", .meaning = "taps to compare", .fallback = "all", .example = "'vision.*'"},
      selection_.only);
  options.option({.name = "--skip",
                  .value = "GLOB",
                  .meaning = "taps to leave out",
                  .example = "'pre.pixels'",
                  .repeatable = true},
                 selection_.skip);
  observation_.declare(options);
  options.option({.name = "--image",
                  .value = "FILE",
                  .meaning = "run the vision tower alone on this picture, instead of an observation",
                  .example = "image0.png",
                  .repeatable = true},
                 images_);
  options.option({.name = "--frame",
                  .value = "FILE",
                  .meaning = "run the vision tower alone on a video of these frames, oldest first; all are used",
                  .example = "frame0.png",
                  .repeatable = true},
                 frames_);
  noise_.declare(options);
  settings_.declare(options);
}

Status Verify::check_usage() const {
  if (against_.empty())
    return fail(Code::usage, "--against", "a safetensors file of taps", "none", "`ramet predict --taps` writes one");
  if (against_ == "oracle")
    return fail(Code::usage, "--against", "a safetensors file of taps", "oracle",
                "this build has no other executor to compare the oracle with");
  const int inputs = (observation_.given() ? 1 : 0) + (images_.empty() ? 0 : 1) + (frames_.empty() ? 0 : 1);
  if (inputs == 1) return {};
  return fail(Code::usage, "ramet verify", "one kind of input: an observation, --image or --frame",
              inputs == 0 ? "none" : "several", "pass --observation OBS.json");
}

Result<std::vector<Tap>> Verify::run_policy(const std::vector<std::string>& globs, Console& console) {
  RAMET_TRY(const ObservationFiles files, observation_.read());
  settings_.take_robot(files, observation_.file());
  RAMET_TRY(const LoadedObservation observation, LoadedObservation::load(files));
  RAMET_TRY(std::optional<FloatArray> noise, noise_.read());
  RAMET_TRY(Policy policy, Policy::open(directory_, {.embodiment = settings_.values().embodiment,
                                                     .data_config = settings_.values().data_config,
                                                     .steps = settings_.values().steps,
                                                     .engine = settings_.engine(console)}));
  const ActOptions act{.seed = settings_.values().seed, .noise = std::move(noise), .taps = globs};
  RAMET_TRY(Actions actions, policy.act(observation.observation(), act));
  return std::move(actions.taps);
}

Result<std::vector<Tap>> Verify::run_tower(const std::vector<std::string>& globs, Console& console) {
  std::vector<RgbImage> images;
  for (const std::filesystem::path& file : images_.empty() ? frames_ : images_) {
    RAMET_TRY(RgbImage image, load_image(file));
    images.push_back(std::move(image));
  }
  std::vector<ImageView> views;
  for (const RgbImage& image : images) views.push_back(image.view());
  RAMET_TRY(VisionTower tower, VisionTower::open(directory_, settings_.engine(console)));
  RAMET_TRY(Encoding encoding, tower.encode(views, {.video = !frames_.empty(), .taps = globs}));
  return std::move(encoding.taps);
}

// In the order in which we compute them, so that the first failure is the first cause; missing ones come last.
Result<std::vector<TapVerdict>> Verify::compare_all(const std::vector<Tap>& ours, const TapDump& dump) const {
  std::vector<std::string> missing = dump.names();
  std::vector<TapVerdict> verdicts;
  for (const Tap& tap : ours) {
    if (std::erase(missing, tap.name) == 0) continue;
    RAMET_TRY(const DumpedTap theirs, dump.read(tap.name));
    verdicts.push_back(compare(&tap, theirs, gate_));
  }
  for (const std::string& name : missing) {
    RAMET_TRY(const DumpedTap theirs, dump.read(name));
    verdicts.push_back(compare(nullptr, theirs, gate_));
  }
  return verdicts;
}

std::string worst_text(const TapVerdict& verdict) {
  if (verdict.worst.empty()) return "";
  return fmt::format("{}: {:.6g}, not {:.6g}", str(verdict.worst), verdict.ours, verdict.theirs);
}

std::string distance_text(const TapVerdict& verdict) {
  if (!verdict.problem.empty()) return verdict.problem;
  return verdict.is_integer ? fmt::format("{:.0f} differ", verdict.distance) : fmt::format("{:.3e}", verdict.distance);
}

std::string table_text(const std::vector<TapVerdict>& verdicts) {
  Table table({"", "tap", "shape", "distance", "gate", "worst element"},
              {Align::left, Align::left, Align::left, Align::right, Align::right, Align::left});
  for (const TapVerdict& verdict : verdicts)
    table.add({verdict.holds ? "pass" : "FAIL", verdict.tap, str(verdict.shape), distance_text(verdict),
               fmt::format("{:.1e}", verdict.gate), worst_text(verdict)});
  return table.text();
}

ordered_json tap_document(const TapVerdict& verdict) {
  ordered_json document{
      {"tap", verdict.tap}, {"shape", verdict.shape}, {"holds", verdict.holds}, {"problem", verdict.problem}};
  document[verdict.is_integer ? "different" : "rel_l2"] =
      verdict.problem.empty() ? ordered_json(verdict.distance) : ordered_json(nullptr);
  document["gate"] = verdict.gate;
  document["worst"] = verdict.worst;
  document["ours"] = verdict.ours;
  document["theirs"] = verdict.theirs;
  return document;
}

using Verdicts = std::vector<TapVerdict>;

int64_t failures(const Verdicts& verdicts) { return std::ranges::count(verdicts, false, &TapVerdict::holds); }

ordered_json Verify::document(const Verdicts& verdicts) const {
  const auto first = std::ranges::find(verdicts, false, &TapVerdict::holds);
  ordered_json taps = ordered_json::array();
  for (const TapVerdict& verdict : verdicts) taps.push_back(tap_document(verdict));
  return {{"against", against_.string()},
          {"gate", gate_},
          {"passed", static_cast<int64_t>(verdicts.size()) - failures(verdicts)},
          {"failed", failures(verdicts)},
          {"first_failure", first == verdicts.end() ? ordered_json(nullptr) : ordered_json(first->tap)},
          {"taps", taps}};
}

// The result has been printed; a failed check still is an error line.
int Verify::verdict(const Verdicts& verdicts, Console& console) const {
  const auto first = std::ranges::find(verdicts, false, &TapVerdict::holds);
  if (first == verdicts.end()) return kDone;
  const std::string rule =
      first->is_integer ? "equal integers" : fmt::format("a distance of at most {:.1e}", first->gate);
  console.error({.code = Code::check_failed,
                 .where = first->tap,
                 .expected = first->problem.empty() ? rule : "this tap in the shape " + str(first->shape),
                 .found = distance_text(*first),
                 .hint = "it is the first tap that drifts"});
  return kCheckFailed;
}

Result<int> Verify::run(Console& console) {
  RAMET_TRY_STATUS(check_usage());
  RAMET_TRY_STATUS(settings_.resolve(directory_));
  RAMET_TRY(const TapDump dump, TapDump::open(against_, selection_));
  const std::vector<std::string> globs = as_globs(dump.names());
  RAMET_TRY(const std::vector<Tap> ours, observation_.given() ? run_policy(globs, console) : run_tower(globs, console));
  RAMET_TRY(const Verdicts verdicts, compare_all(ours, dump));
  if (console.json())
    console.print_json(document(verdicts));
  else
    console.print(table_text(verdicts) + fmt::format("\n{} passed, {} failed\n",
                                                     static_cast<int64_t>(verdicts.size()) - failures(verdicts),
                                                     failures(verdicts)));
  return verdict(verdicts, console);
}

}  // namespace

std::unique_ptr<Command> make_verify() { return std::make_unique<Verify>(); }

}  // namespace ramet::cli
