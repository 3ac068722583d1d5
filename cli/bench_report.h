// The result of `ramet bench`.
#pragma once

#include "run_facts.h"

#include <ramet/types.h>

#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace ramet::cli {

struct StageBench {
  std::string stage;
  std::vector<double> ms = {};  // of each run
  double gflop = 0;
  int64_t bytes = 0;  // of weights that are read
};

// Steps that differ in the number of their block alone.
struct StepBench {
  std::string stage, step;   // numbers of blocks as N
  int64_t count = 0;         // in a run
  double ms = 0, gflop = 0;  // of a run
  int64_t bytes = 0;
};

struct BenchReport {
  std::string layout, boundary;
  RunFacts facts = {};
  std::vector<MachinePeak> peaks = {};  // beside each run
  std::vector<StageBench> stages = {};
  StageBench total = {.stage = "total"};
  std::vector<StepBench> steps = {};  // where they were asked for
  double load_ms = 0;                 // from nothing to a model whose first program may run
  double first_action_ms = 0;         // load and the first run
  int64_t weights_bytes = 0, arena_bytes = 0;
  int disturbed_runs = 0;  // in which other processes took over a tenth of a core

  double compute_share(const StageBench& stage) const;  // of the peak of the moment, medians
  double read_share(const StageBench& stage) const;
};

// Sums of one or several runs to averages of one, the longest first.
std::vector<StepBench> average_steps(const std::vector<std::vector<StepMs>>& runs);

// Medians by stage of an earlier report.
using BenchBaseline = std::map<std::string, double>;
Result<BenchBaseline> read_baseline(const std::filesystem::path& path);

nlohmann::ordered_json to_json(const BenchReport& report, const std::optional<BenchBaseline>& against);
std::string to_text(const BenchReport& report, const std::optional<BenchBaseline>& against);

}  // namespace ramet::cli
