// ramet verify: every intermediate result against a dump, tap by tap.
#include "command.h"
#include "observation_options.h"
#include "report.h"
#include "settings.h"
#include "tap_comparison.h"
#include "tap_dump.h"
#include "tap_report.h"

#include <ramet/image.h>
#include <ramet/policy.h>
#include <ramet/vision_tower.h>

#include <nlohmann/json.hpp>
#include <optional>

namespace ramet::cli {
namespace {

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

class Verify : public Command {
 public:
  void declare(Options& options) override;
  Result<int> run(Console& console) override;

 private:
  Status check_usage() const;
  Result<std::vector<Tap>> run_policy(const std::vector<std::string>& globs, Console& console);
  Result<std::vector<Tap>> run_tower(const std::vector<std::string>& globs, Console& console);
  Result<std::vector<TapVerdict>> compare_all(const std::vector<Tap>& ours, const TapDump& dump) const;

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

Result<int> Verify::run(Console& console) {
  RAMET_TRY_STATUS(check_usage());
  RAMET_TRY_STATUS(settings_.resolve(directory_));
  RAMET_TRY(const TapDump dump, TapDump::open(against_, selection_));
  const std::vector<std::string> globs = as_globs(dump.names());
  RAMET_TRY(const std::vector<Tap> ours, observation_.given() ? run_policy(globs, console) : run_tower(globs, console));
  RAMET_TRY(std::vector<TapVerdict> verdicts, compare_all(ours, dump));
  const TapReport report{.against = against_.string(), .gate = gate_, .verdicts = std::move(verdicts)};
  if (console.json())
    console.print_json(to_json(report));
  else
    console.print(to_text(report));
  if (const std::optional<Error> error = report.error()) return console.error(*error), kCheckFailed;
  return kDone;
}

}  // namespace

std::unique_ptr<Command> make_verify() { return std::make_unique<Verify>(); }

}  // namespace ramet::cli
