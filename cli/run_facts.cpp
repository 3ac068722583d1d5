#include "run_facts.h"

#include "build_info.h"
#include "text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace ramet::cli {
namespace {

template <class Choose>
Timing by_stage(std::span<const Timing> runs, Choose choose) {
  Timing chosen = runs.front();
  for (size_t stage = 0; stage < chosen.size(); ++stage) {
    std::vector<double> times;
    for (const Timing& run : runs) times.push_back(run[stage].ms);
    std::ranges::sort(times);
    chosen[stage].ms = choose(times);
  }
  return chosen;
}

}  // namespace

RunFacts run_facts(const ExecutionFacts& execution) {
  return {.executor = execution.executor,
          .precision = execution.precision,
          .isa = execution.isa,
          .threads = execution.threads,
          .peak_rss_bytes = peak_rss_bytes()};
}

void append(nlohmann::ordered_json& document, const RunFacts& facts) {
  document["executor"] = facts.executor;
  document["precision"] = facts.precision;
  document["isa"] = facts.isa;
  document["threads"] = facts.threads;
  document["peak_rss_bytes"] = facts.peak_rss_bytes;
}

std::string facts_line(const RunFacts& facts) {
  return fmt::format("executor {}, {}, {}, {} {}, peak memory {}\n", facts.executor, facts.precision, facts.isa,
                     facts.threads, facts.threads == 1 ? "thread" : "threads",
                     human_bytes(static_cast<double>(facts.peak_rss_bytes)));
}

Timing minimum(std::span<const Timing> runs) {
  return by_stage(runs, [](const std::vector<double>& sorted) { return sorted.front(); });
}

Timing median(std::span<const Timing> runs) {
  return by_stage(runs, [](const std::vector<double>& sorted) {
    return (sorted[(sorted.size() - 1) / 2] + sorted[sorted.size() / 2]) / 2;
  });
}

nlohmann::ordered_json timing_document(const Timing& timing) {
  nlohmann::ordered_json document = nlohmann::ordered_json::object();
  for (const StageMs& stage : timing) document[stage.stage] = stage.ms;
  return document;
}

std::string timing_line(const Timing& timing) {
  std::vector<std::string> stages;
  for (const StageMs& stage : timing) stages.push_back(fmt::format("{} {:.1f} ms", stage.stage, stage.ms));
  return fmt::format("{}", fmt::join(stages, ", "));
}

}  // namespace ramet::cli
