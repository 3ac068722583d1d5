// ramet predict: one observation to decoded actions.
#include "command.h"
#include "observation_options.h"
#include "plot.h"
#include "prediction.h"
#include "report.h"
#include "settings.h"

#include <ramet/policy.h>

#include <nlohmann/json.hpp>

namespace ramet::cli {
namespace {

constexpr int64_t kMaxRuns = 1'000'000;

class Predict : public Command {
 public:
  void declare(Options& options) override;
  Result<int> run(Console& console) override;

 private:
  Status check_outputs();
  Result<Prediction> predict(Console& console);
  Result<Policy> open(Console& console) const;
  Status write_files(const Prediction& prediction) const;
  Status stage_taps(const Actions& actions, StagedFiles& files) const;

  std::filesystem::path directory_, output_, taps_, plot_;
  Settings settings_{"embodiment", "data-config",    "executor",  "precision", "isa",
                     "threads",    "backbone",       "tokenizer", "cache",     "steps",
                     "seed",       "reuse-backbone", "quirks"};
  ObservationOptions observation_;
  NoiseOption noise_;
  std::vector<std::string> globs_;
  int64_t runs_ = 1;
};

void Predict::declare(Options& options) {
  options.argument({.name = "DIR", .meaning = "checkpoint directory, or a .safetensors file beside its config"},
                   directory_);
  observation_.declare(options);
  options.option({.name = "-o,--output",
                  .value = "FILE",
                  .meaning = "write the actions to a .json, .npz, .safetensors or .csv file",
                  .example = "actions.npz"},
                 output_);
  options.option({.name = "--taps",
                  .value = "FILE",
                  .meaning = "write intermediate results to a .safetensors file",
                  .example = "taps.safetensors"},
                 taps_);
  options.option({.name = "--tap",
                  .value = "GLOB",
                  .meaning = "the intermediate results that --taps keeps",
                  .fallback = "all",
                  .example = "'vision.*'",
                  .repeatable = true},
                 globs_);
  options.option({.name = "--plot",
                  .value = "FILE",
                  .meaning = "draw the actions into a .png or .svg file, a panel for each key",
                  .example = "actions.png"},
                 plot_);
  options.option({.name = "--repeat",
                  .value = "N",
                  .meaning = "runs; more than one give the fastest and the median time of each stage",
                  .fallback = "1",
                  .example = "10"},
                 [this](const Given& given) -> Status {
                   RAMET_TRY(runs_, parse_integer(given, 1, kMaxRuns));
                   return {};
                 });
  noise_.declare(options);
  settings_.declare(options);
}

Status Predict::check_outputs() {
  if (!globs_.empty() && taps_.empty())
    return fail(Code::usage, "--tap", "--taps FILE beside it", "none", "name the file that takes the taps");
  if (!taps_.empty() && taps_.extension() != ".safetensors")
    return fail(Code::usage, "--taps", "a file that ends in .safetensors", taps_.string());
  if (!output_.empty()) RAMET_TRY_STATUS(output_format(output_).map([](OutputFormat) {}));
  if (!plot_.empty()) RAMET_TRY_STATUS(plot_format(plot_).map([](PlotFormat) {}));
  if (!output_.empty() && output_ == taps_)
    return fail(Code::usage, "--taps", "another file than --output", taps_.string());
  for (const auto& path : {output_, taps_, plot_})
    if (!path.empty()) RAMET_TRY_STATUS(check_writable(path));
  if (!taps_.empty() && globs_.empty()) globs_ = {"*"};
  return {};
}

Result<Policy> Predict::open(Console& console) const {
  return Policy::open(directory_, {.embodiment = settings_.values().embodiment,
                                   .data_config = settings_.values().data_config,
                                   .steps = settings_.values().steps,
                                   .reuse_backbone = settings_.values().reuse_backbone,
                                   .engine = settings_.engine(console)});
}

Result<Prediction> Predict::predict(Console& console) {
  RAMET_TRY(const ObservationFiles files, observation_.read());
  settings_.take_robot(files, observation_.file());
  RAMET_TRY(const LoadedObservation observation, LoadedObservation::load(files));
  RAMET_TRY(std::optional<FloatArray> noise, noise_.read());
  RAMET_TRY(Policy policy, open(console));
  const ActOptions act{.seed = settings_.values().seed, .noise = std::move(noise), .taps = globs_};
  Prediction prediction{.seed = act.seed, .noise = noise_.file()};
  for (int64_t run = 0; run < runs_; ++run) {
    RAMET_TRY(prediction.actions, noise_.with_file(policy.act(observation.observation(), act)));
    prediction.runs.push_back(prediction.actions.timing);
  }
  prediction.facts = run_facts(policy.facts());
  return prediction;
}

Status Predict::stage_taps(const Actions& actions, StagedFiles& files) const {
  if (actions.taps.empty())
    return fail(Code::usage, "--tap", "a pattern that fits a tap", globs_.front(), "--tap '*' keeps all of them");
  std::vector<NamedArray> arrays;
  for (const Tap& tap : actions.taps) arrays.push_back(named_array(tap));
  return files.add_safetensors(taps_, arrays);
}

Status Predict::write_files(const Prediction& prediction) const {
  StagedFiles files;
  if (!output_.empty()) RAMET_TRY_STATUS(stage(prediction, output_, files));
  if (!taps_.empty()) RAMET_TRY_STATUS(stage_taps(prediction.actions, files));
  if (!plot_.empty()) {
    RAMET_TRY(const PlotFormat format, plot_format(plot_));
    RAMET_TRY(const std::string picture, plot(prediction.actions, format));
    RAMET_TRY_STATUS(files.add_text(plot_, picture));
  }
  return files.commit();
}

Result<int> Predict::run(Console& console) {
  RAMET_TRY_STATUS(check_outputs());
  RAMET_TRY_STATUS(settings_.resolve(directory_));
  RAMET_TRY(const Prediction prediction, predict(console));
  RAMET_TRY_STATUS(write_files(prediction));
  if (console.json())
    console.print_json(to_json(prediction));
  else
    console.print(to_table(prediction, console.columns()));
  return kDone;
}

}  // namespace

std::unique_ptr<Command> make_predict() { return std::make_unique<Predict>(); }

}  // namespace ramet::cli
