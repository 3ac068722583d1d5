// ramet bench: how long each stage takes, and how near that is to what the machine can do.
#include "bench_report.h"
#include "command.h"
#include "cpu_watch.h"
#include "observation_options.h"
#include "report.h"
#include "settings.h"

#include <ramet/policy.h>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <numeric>

namespace ramet::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int64_t kMaxRuns = 100'000;
constexpr double kDisturbed = 0.1;  // cores

constexpr auto kReplayBoundary =
    "pixel rows, token ids, state and noise to the normalised action chunk; made-up inputs, no processors";
constexpr auto kActBoundary = "decoded pictures and state to decoded actions, processors included";

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

struct Requirement {
  std::string stage;
  double share;
};

class Bench : public Command {
 public:
  void declare(Options& options) override;
  Result<int> run(Console& console) override;

 private:
  Status add_requirement(const Given& given);
  Result<Policy> open(Console& console);
  Result<std::vector<StageMs>> run_once(Policy& policy);
  Status measure(Policy& policy, BenchReport& report, Console& console);
  void take(const std::vector<StageMs>& times, double total_ms, BenchReport& report) const;
  void take_work(const Policy& policy, BenchReport& report) const;
  Result<int> verdict(const BenchReport& report, Console& console) const;

  std::filesystem::path directory_, against_;
  std::string layout_;
  int64_t runs_ = 10, warmup_ = 2;
  bool profile_ = false;
  std::vector<Requirement> requirements_;
  Settings settings_{"embodiment", "data-config", "executor", "precision",      "isa",   "threads", "backbone",
                     "tokenizer",  "cache",       "steps",    "reuse-backbone", "quirks"};
  ObservationOptions observation_options_;
  std::optional<LoadedObservation> observation_;
};

void Bench::declare(Options& options) {
  options.argument({.name = "DIR", .meaning = "checkpoint directory, or a .safetensors file beside its config"},
                   directory_);
  options.option({.name = "--layout",
                  .value = "NAME",
                  .meaning = "pictures and tokens of the run: N1.7 has droid, libero1, libero2, N1.6 one, two, four, "
                             "N1.5 one, two, three",
                  .fallback = "the first of them",
                  .example = "libero1"},
                 layout_);
  observation_options_.declare(options);
  options.option({.name = "--runs", .value = "N", .meaning = "runs that count", .fallback = "10", .example = "30"},
                 [this](const Given& given) -> Status {
                   RAMET_TRY(runs_, parse_integer(given, 1, kMaxRuns));
                   return {};
                 });
  options.option({.name = "--warmup", .value = "N", .meaning = "runs before them", .fallback = "2", .example = "5"},
                 [this](const Given& given) -> Status {
                   RAMET_TRY(warmup_, parse_integer(given, 0, kMaxRuns));
                   return {};
                 });
  options.flag({.name = "--profile", .meaning = "also the time of each kind of step, the longest first"}, profile_);
  options.option({.name = "--against",
                  .value = "FILE",
                  .meaning = "compare with an earlier result, as --json printed it",
                  .example = "before.json"},
                 against_);
  options.option({.name = "--require",
                  .value = "STAGE=SHARE",
                  .meaning = "end with 1 unless the stage reaches this share of the compute or of the read peak",
                  .example = "vision=0.55",
                  .repeatable = true},
                 [this](const Given& given) { return add_requirement(given); });
  settings_.declare(options);
}

Status Bench::add_requirement(const Given& given) {
  RAMET_TRY(const auto pair, parse_pair(given));
  RAMET_TRY(const double share, parse_number({pair.second, given.where, given.code}));
  requirements_.push_back({pair.first, share});
  return {};
}

Result<Policy> Bench::open(Console& console) {
  if (observation_options_.given()) {
    RAMET_TRY(const ObservationFiles files, observation_options_.read());
    settings_.take_robot(files, observation_options_.file());
    RAMET_TRY(observation_, LoadedObservation::load(files));
  }
  return Policy::open(directory_, {.embodiment = settings_.values().embodiment,
                                   .data_config = settings_.values().data_config,
                                   .steps = settings_.values().steps,
                                   .reuse_backbone = settings_.values().reuse_backbone,
                                   .engine = settings_.engine(console)});
}

Result<std::vector<StageMs>> Bench::run_once(Policy& policy) {
  if (!observation_) return policy.replay(layout_);
  RAMET_TRY(Actions actions, policy.act(observation_->observation(), {}));
  actions.timing.pop_back();  // the total
  return std::move(actions.timing);
}

void Bench::take(const std::vector<StageMs>& times, double total_ms, BenchReport& report) const {
  if (report.stages.empty())
    for (const StageMs& time : times) report.stages.push_back({.stage = time.stage});
  for (size_t i = 0; i < times.size(); ++i) report.stages[i].ms.push_back(times[i].ms);
  report.total.ms.push_back(total_ms);
}

void Bench::take_work(const Policy& policy, BenchReport& report) const {
  for (const StageWork& work : policy.stage_work()) {
    report.total.gflop += work.gflop;
    report.total.bytes += work.weight_bytes;
    for (StageBench& stage : report.stages)
      if (stage.stage == work.stage) stage.gflop = work.gflop, stage.bytes = work.weight_bytes;
  }
}

Status Bench::measure(Policy& policy, BenchReport& report, Console& console) {
  policy.settle();
  const Progress progress = console.progress_callback();
  std::vector<std::vector<StepMs>> steps;
  for (int64_t run = 0; run < warmup_ + runs_; ++run) {
    if (run == warmup_) report.stages.clear(), report.total.ms.clear(), report.peaks.clear();
    report.peaks.push_back(policy.measure_peak());
    const CpuWatch watch;
    const auto start = Clock::now();
    RAMET_TRY(const std::vector<StageMs> times, run_once(policy));
    take(times, ms_since(start), report);
    if (run >= warmup_ && watch.cores_of_others() > kDisturbed) ++report.disturbed_runs;
    if (profile_ && run >= warmup_) steps.push_back(policy.step_times());
    if (progress) progress("measuring", static_cast<double>(run + 1) / static_cast<double>(warmup_ + runs_));
  }
  report.steps = average_steps(steps);
  return {};
}

Result<int> Bench::verdict(const BenchReport& report, Console& console) const {
  for (const Requirement& requirement : requirements_) {
    const auto stage = std::ranges::find(report.stages, requirement.stage, &StageBench::stage);
    if (stage == report.stages.end()) return fail(Code::usage, "--require", "a stage of the run", requirement.stage);
    const double share = std::max(report.compute_share(*stage), report.read_share(*stage));
    if (share >= requirement.share) continue;
    console.error({.code = Code::check_failed,
                   .where = requirement.stage,
                   .expected = fmt::format("at least {:.2f} of a peak", requirement.share),
                   .found = fmt::format("{:.2f}", share),
                   .hint = report.disturbed_runs > 0 ? "other processes disturbed some runs" : ""});
    return kCheckFailed;
  }
  return kDone;
}

Result<int> Bench::run(Console& console) {
  if (observation_options_.given() && !layout_.empty())
    return fail(Code::usage, "--layout", "a layout or an observation", "both");
  std::optional<BenchBaseline> against;
  if (!against_.empty()) {
    RAMET_TRY(against, read_baseline(against_));
  }
  RAMET_TRY_STATUS(settings_.resolve(directory_));
  const auto start = Clock::now();
  RAMET_TRY(Policy policy, open(console));
  if (layout_.empty() && !observation_) layout_ = policy.sample_layouts().front().first;
  const auto first = Clock::now();
  RAMET_TRY(const std::vector<StageMs> times, run_once(policy));
  const double run_ms =
      std::accumulate(times.begin(), times.end(), 0.0, [](double sum, const StageMs& time) { return sum + time.ms; });
  BenchReport report{.layout = observation_ ? "observation" : layout_,
                     .boundary = observation_ ? kActBoundary : kReplayBoundary};
  report.first_action_ms = ms_since(start);
  report.load_ms = report.first_action_ms - std::min(run_ms, ms_since(first));
  report.facts = run_facts(policy.facts());
  RAMET_TRY_STATUS(measure(policy, report, console));
  take_work(policy, report);
  report.weights_bytes = policy.facts().packed_bytes;
  report.arena_bytes = policy.arena_bytes();
  if (console.json())
    console.print_json(to_json(report, against));
  else
    console.print(to_text(report, against));
  return verdict(report, console);
}

}  // namespace

std::unique_ptr<Command> make_bench() { return std::make_unique<Bench>(); }

}  // namespace ramet::cli
