// ramet verify: every intermediate result against the oracle or a dump, tap by tap.
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

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

namespace ramet::cli {
namespace {

constexpr auto kOracle = "oracle";
constexpr double kExactGate = 3e-5;    // float32 against float32: spec goldens
constexpr double kRoundedGate = 3e-2;  // bf16: what the published models lose by it, with some room
constexpr double kInt8Gate = 2e-1;
constexpr double kAllowedDistance = 1.5;  // of --gate-from

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
  Status choose_gate();
  bool against_oracle() const { return against_ == kOracle; }
  Result<TapDump> reference(Console& console);
  Result<std::vector<Tap>> run_model(ExecutorKind executor, const std::vector<std::string>& globs, Console& console);
  Result<std::vector<Tap>> run_policy(const EngineOptions& engine, const std::vector<std::string>& globs);
  Result<std::vector<Tap>> run_tower(const EngineOptions& engine, const std::vector<std::string>& globs);
  Result<std::vector<TapVerdict>> compare_all(const std::vector<Tap>& ours, const TapDump& dump) const;
  Result<double> gate_of(const DumpedTap& theirs) const;

  std::filesystem::path directory_, against_ = kOracle, gate_from_;
  std::vector<std::filesystem::path> images_, frames_;
  Settings settings_{"embodiment", "data-config", "executor", "precision", "isa",  "threads",
                     "backbone",   "tokenizer",   "cache",    "steps",     "seed", "quirks"};
  ObservationOptions observation_;
  NoiseOption noise_;
  TapSelection selection_;
  std::optional<double> given_gate_;
  double gate_ = kExactGate;
  std::optional<TapDump> gate_dump_;
};

void Verify::declare(Options& options) {
  options.argument({.name = "DIR", .meaning = "checkpoint directory, or a .safetensors file beside its config"},
                   directory_);
  options.option({.name = "--against",
                  .value = "FILE",
                  .meaning = "`oracle`, or a safetensors file of taps by name, from --taps or another implementation",
                  .fallback = "oracle",
                  .example = "reference.safetensors"},
                 against_);
  options.option({.name = "--gate",
                  .value = "X",
                  .meaning = "largest |ours - theirs| / |theirs| over a tap, euclidean norms; integers must be equal",
                  .fallback = "3e-5 for the oracle and fp32, 3e-2 for bf16, 0.2 for int8",
                  .example = "1e-4"},
                 [this](const Given& given) -> Status {
                   RAMET_TRY(given_gate_, parse_number(given));
                   return *given_gate_ >= 0 ? Status{} : misfit(given, "a number that is not negative");
                 });
  options.option({.name = "--gate-from",
                  .value = "FILE",
                  .meaning = "let each tap be 1.5 times as far away as the same tap of this file is",
                  .example = "bf16.safetensors"},
                 gate_from_);
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
  if (against_oracle() && settings_.values().executor == ExecutorKind::oracle)
    return fail(Code::usage, "--against", "another executor than the one that runs, or a safetensors file of taps",
                kOracle, "`ramet predict --taps` writes such a file");
  const int inputs = (observation_.given() ? 1 : 0) + (images_.empty() ? 0 : 1) + (frames_.empty() ? 0 : 1);
  if (inputs == 1) return {};
  return fail(Code::usage, "ramet verify", "one kind of input: an observation, --image or --frame",
              inputs == 0 ? "none" : "several", "pass --observation OBS.json");
}

Result<std::vector<Tap>> Verify::run_model(ExecutorKind executor, const std::vector<std::string>& globs,
                                           Console& console) {
  EngineOptions engine = settings_.engine(console);
  engine.executor = executor;
  return observation_.given() ? run_policy(engine, globs) : run_tower(engine, globs);
}

Result<TapDump> Verify::reference(Console& console) {
  if (!against_oracle()) return TapDump::open(against_, selection_);
  RAMET_TRY(std::vector<Tap> taps, run_model(ExecutorKind::oracle, {selection_.only}, console));
  TapDump dump = TapDump::of(std::move(taps), selection_);
  if (dump.names().empty())
    return fail(Code::not_found, kOracle, "taps to compare", "none", "look at --only and --skip");
  return dump;
}

Result<std::vector<Tap>> Verify::run_policy(const EngineOptions& engine, const std::vector<std::string>& globs) {
  RAMET_TRY(const ObservationFiles files, observation_.read());
  settings_.take_robot(files, observation_.file());
  RAMET_TRY(const LoadedObservation observation, LoadedObservation::load(files));
  RAMET_TRY(std::optional<FloatArray> noise, noise_.read());
  RAMET_TRY(Policy policy, Policy::open(directory_, {.embodiment = settings_.values().embodiment,
                                                     .data_config = settings_.values().data_config,
                                                     .steps = settings_.values().steps,
                                                     .engine = engine}));
  const ActOptions act{.seed = settings_.values().seed, .noise = std::move(noise), .taps = globs};
  RAMET_TRY(Actions actions, noise_.with_file(policy.act(observation.observation(), act)));
  return std::move(actions.taps);
}

Result<std::vector<Tap>> Verify::run_tower(const EngineOptions& engine, const std::vector<std::string>& globs) {
  std::vector<RgbImage> images;
  for (const std::filesystem::path& file : images_.empty() ? frames_ : images_) {
    RAMET_TRY(RgbImage image, load_image(file));
    images.push_back(std::move(image));
  }
  std::vector<ImageView> views;
  for (const RgbImage& image : images) views.push_back(image.view());
  RAMET_TRY(VisionTower tower, VisionTower::open(directory_, engine));
  RAMET_TRY(Encoding encoding, tower.encode(views, {.video = !frames_.empty(), .taps = globs}));
  return std::move(encoding.taps);
}

// The reference's own distance from the truth, where a file tells it.
Result<double> Verify::gate_of(const DumpedTap& theirs) const {
  if (!gate_dump_ || !gate_dump_->has(theirs.tap.name)) return gate_;
  RAMET_TRY(DumpedTap rounded, gate_dump_->read(theirs.tap.name));
  return std::max(gate_, kAllowedDistance * compare(&rounded.tap, {theirs.tap, std::nullopt}, gate_).distance);
}

// In the order in which we compute them, so that the first failure is the first cause; missing ones come last.
Result<std::vector<TapVerdict>> Verify::compare_all(const std::vector<Tap>& ours, const TapDump& dump) const {
  std::vector<std::string> missing = dump.names();
  std::vector<TapVerdict> verdicts;
  for (const Tap& tap : ours) {
    if (std::erase(missing, tap.name) == 0) continue;
    RAMET_TRY(const DumpedTap theirs, dump.read(tap.name));
    RAMET_TRY(const double gate, gate_of(theirs));
    verdicts.push_back(compare(&tap, theirs, gate));
  }
  for (const std::string& name : missing) {
    RAMET_TRY(const DumpedTap theirs, dump.read(name));
    verdicts.push_back(compare(nullptr, theirs, gate_));
  }
  return verdicts;
}

// The gate follows from what may be rounded, unless it is given.
Status Verify::choose_gate() {
  const SettingValues& values = settings_.values();
  if (values.executor == ExecutorKind::tuned && values.precision != "fp32")
    gate_ = values.precision.starts_with("int8") ? kInt8Gate : kRoundedGate;
  if (!gate_from_.empty()) {
    gate_ = kExactGate;
    RAMET_TRY(gate_dump_, TapDump::open(gate_from_, selection_));
  }
  gate_ = given_gate_.value_or(gate_);
  return {};
}

Result<int> Verify::run(Console& console) {
  RAMET_TRY_STATUS(settings_.resolve(directory_));
  RAMET_TRY_STATUS(check_usage());
  RAMET_TRY_STATUS(choose_gate());
  RAMET_TRY(const TapDump dump, reference(console));
  RAMET_TRY(const std::vector<Tap> ours, run_model(settings_.values().executor, as_globs(dump.names()), console));
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
