#include "bench_report.h"

#include "table.h"
#include "text.h"

#include "base/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace ramet::cli {
namespace {

using nlohmann::ordered_json;

// The value below which the share `p` of all lies, between neighbours.
double quantile(std::vector<double> values, double p) {
  std::ranges::sort(values);
  const double position = p * static_cast<double>(values.size() - 1);
  const auto below = static_cast<size_t>(position);
  const size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (position - static_cast<double>(below)) * (values[above] - values[below]);
}

double median(const std::vector<double>& values) { return quantile(values, 0.5); }

MachinePeak median(const std::vector<MachinePeak>& peaks) {
  std::vector<double> compute, read;
  for (const MachinePeak& peak : peaks) {
    compute.push_back(peak.compute_gflops);
    read.push_back(peak.read_gbs);
  }
  return {.compute_gflops = median(compute), .read_gbs = median(read)};
}

double gflops(const StageBench& stage) { return stage.gflop / (1e-3 * median(stage.ms)); }
double gbs(const StageBench& stage) { return 1e-9 * static_cast<double>(stage.bytes) / (1e-3 * median(stage.ms)); }

ordered_json times(const StageBench& stage) {
  return {{"min_ms", quantile(stage.ms, 0)},
          {"median_ms", median(stage.ms)},
          {"p90_ms", quantile(stage.ms, 0.9)},
          {"max_ms", quantile(stage.ms, 1)},
          {"gflop", stage.gflop}};
}

ordered_json stage_document(const BenchReport& report, const StageBench& stage) {
  ordered_json document = times(stage);
  document["bytes"] = stage.bytes;
  document["gflops"] = gflops(stage);
  document["gbs"] = gbs(stage);
  document["share_of_compute_peak"] = report.compute_share(stage);
  document["share_of_read_peak"] = report.read_share(stage);
  return document;
}

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

std::string speedup(const StageBench& stage, const std::optional<BenchBaseline>& against) {
  if (!against || !against->contains(stage.stage)) return "";
  return fmt::format("{:.2f} x", against->at(stage.stage) / median(stage.ms));
}

void add_row(Table& table, const BenchReport& report, const StageBench& stage,
             const std::optional<BenchBaseline>& against) {
  const auto ms = [](double value) { return fmt::format("{:.1f}", value); };
  std::vector<std::string> cells{stage.stage,
                                 ms(quantile(stage.ms, 0)),
                                 ms(median(stage.ms)),
                                 ms(quantile(stage.ms, 0.9)),
                                 ms(quantile(stage.ms, 1)),
                                 fmt::format("{:.1f}", stage.gflop),
                                 fmt::format("{:.1f}", gflops(stage)),
                                 percent(report.compute_share(stage)),
                                 fmt::format("{:.1f}", gbs(stage)),
                                 percent(report.read_share(stage))};
  if (against) cells.push_back(speedup(stage, against));
  table.add(std::move(cells));
}

// "vision.block.3.fc1 ..." to "vision.block.N.fc1 ..."
std::string without_block(const std::string& step) {
  std::string text;
  for (size_t i = 0; i < step.size(); ++i) {
    const size_t end = step.find_first_not_of("0123456789", i);
    const bool is_number = end != i && end != step.npos && i > 0 && step[i - 1] == '.' && step[end] == '.';
    text += is_number ? 'N' : step[i];
    if (is_number) i = end - 1;
  }
  return text;
}

std::string step_table(const BenchReport& report) {
  if (report.steps.empty()) return "";
  using enum Align;
  Table table({"step", "times", "ms", "GFLOP/s", "GB/s"}, {left, right, right, right, right});
  for (const StepBench& step : report.steps)
    table.add({step.stage + ": " + step.step, std::to_string(step.count), fmt::format("{:.2f}", step.ms),
               fmt::format("{:.1f}", step.gflop / step.ms * 1e3),
               fmt::format("{:.1f}", static_cast<double>(step.bytes) / step.ms * 1e-6)});
  return "\n" + table.text();
}

std::string machine_lines(const BenchReport& report) {
  const MachinePeak peak = median(report.peaks);
  return fmt::format(
      "peak of the moment: {:.1f} GFLOP/s in registers, {:.1f} GB/s read; {} of {} runs disturbed by other processes\n"
      "load {:.0f} ms, first action after {:.0f} ms; weights {}, arena {}\n",
      peak.compute_gflops, peak.read_gbs, report.disturbed_runs, report.total.ms.size(), report.load_ms,
      report.first_action_ms, human_bytes(static_cast<double>(report.weights_bytes)),
      human_bytes(static_cast<double>(report.arena_bytes)));
}

}  // namespace

std::vector<StepBench> average_steps(const std::vector<std::vector<StepMs>>& runs) {
  std::map<std::pair<std::string, std::string>, StepBench> sums;
  for (const std::vector<StepMs>& run : runs)
    for (const StepMs& time : run) {
      StepBench& sum = sums[{time.stage, without_block(time.step)}];
      ++sum.count, sum.ms += time.ms, sum.gflop += time.gflop, sum.bytes += time.weight_bytes;
    }
  const auto count = static_cast<int64_t>(runs.size());
  std::vector<StepBench> steps;
  for (auto& [name, sum] : sums)
    steps.push_back({.stage = name.first,
                     .step = name.second,
                     .count = sum.count / count,
                     .ms = sum.ms / static_cast<double>(count),
                     .gflop = sum.gflop / static_cast<double>(count),
                     .bytes = sum.bytes / count});
  std::ranges::sort(steps, std::ranges::greater{}, &StepBench::ms);
  return steps;
}

double BenchReport::compute_share(const StageBench& stage) const {
  return gflops(stage) / median(peaks).compute_gflops;
}
double BenchReport::read_share(const StageBench& stage) const { return gbs(stage) / median(peaks).read_gbs; }

Result<BenchBaseline> read_baseline(const std::filesystem::path& path) {
  RAMET_TRY(const JsonFile file, JsonFile::load(path));
  BenchBaseline baseline;
  RAMET_TRY(const Json stages, file.root().at("stages"));
  RAMET_TRY(const auto items, stages.items());
  for (const auto& [name, stage] : items) {
    RAMET_TRY(baseline[name], stage.get<double>("median_ms"));
  }
  RAMET_TRY(const Json total, file.root().at("total"));
  RAMET_TRY(baseline["total"], total.get<double>("median_ms"));
  return baseline;
}

ordered_json to_json(const BenchReport& report, const std::optional<BenchBaseline>& against) {
  const MachinePeak peak = median(report.peaks);
  ordered_json document{{"layout", report.layout}, {"boundary", report.boundary}};
  append(document, report.facts);
  document["runs"] = report.total.ms.size();
  document["peak"] = {{"compute_gflops", peak.compute_gflops}, {"read_gbs", peak.read_gbs}};
  document["stages"] = ordered_json::object();
  for (const StageBench& stage : report.stages) document["stages"][stage.stage] = stage_document(report, stage);
  document["total"] = times(report.total);
  document["load_ms"] = report.load_ms;
  document["first_action_ms"] = report.first_action_ms;
  document["weights_bytes"] = report.weights_bytes;
  document["arena_bytes"] = report.arena_bytes;
  document["disturbed_runs"] = report.disturbed_runs;
  for (const StepBench& step : report.steps)
    document["steps"].push_back({{"stage", step.stage},
                                 {"step", step.step},
                                 {"count", step.count},
                                 {"ms", step.ms},
                                 {"gflop", step.gflop},
                                 {"bytes", step.bytes}});
  if (!against) return document;
  document["speedup"] = ordered_json::object();
  for (const auto& [name, before] : *against)
    for (const StageBench& stage : report.stages)
      if (stage.stage == name) document["speedup"][name] = before / median(stage.ms);
  document["speedup"]["total"] = against->at("total") / median(report.total.ms);
  return document;
}

std::string to_text(const BenchReport& report, const std::optional<BenchBaseline>& against) {
  std::vector<std::string> titles{"stage", "min ms",  "median",  "p90",  "max",
                                  "GFLOP", "GFLOP/s", "of peak", "GB/s", "of peak"};
  if (against) titles.push_back("faster");
  std::vector<Align> alignment(titles.size(), Align::right);
  alignment.front() = Align::left;
  Table table(titles, alignment);
  for (const StageBench& stage : report.stages) add_row(table, report, stage, against);
  add_row(table, report, report.total, against);
  return fmt::format("layout {}: {}\n\n{}{}\n{}{}", report.layout, report.boundary, table.text(), step_table(report),
                     machine_lines(report), facts_line(report.facts));
}

}  // namespace ramet::cli
