#include "tap_report.h"

#include "table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace ramet::cli {
namespace {

using nlohmann::ordered_json;

std::string list(const std::vector<int64_t>& numbers) { return fmt::format("[{}]", fmt::join(numbers, ",")); }

std::string distance(const TapVerdict& verdict) {
  if (!verdict.problem.empty()) return verdict.problem;
  return verdict.is_integer ? fmt::format("{:.0f} differ", verdict.distance) : fmt::format("{:.3e}", verdict.distance);
}

std::string worst(const TapVerdict& verdict) {
  if (verdict.worst.empty()) return "";
  return fmt::format("{}: {:.6g}, not {:.6g}", list(verdict.worst), verdict.ours, verdict.theirs);
}

std::string rule(const TapVerdict& verdict) {
  if (!verdict.problem.empty()) return "this tap in the shape " + list(verdict.shape);
  return verdict.is_integer ? "equal integers" : fmt::format("a distance of at most {:.1e}", verdict.gate);
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

}  // namespace

int64_t TapReport::failed() const { return std::ranges::count(verdicts, false, &TapVerdict::holds); }

const TapVerdict* TapReport::first_failure() const {
  const auto first = std::ranges::find(verdicts, false, &TapVerdict::holds);
  return first == verdicts.end() ? nullptr : &*first;
}

std::optional<Error> TapReport::error() const {
  const TapVerdict* first = first_failure();
  if (first == nullptr) return std::nullopt;
  return Error{.code = Code::check_failed,
               .where = first->tap,
               .expected = rule(*first),
               .found = distance(*first),
               .hint = "it is the first tap that drifts"};
}

ordered_json to_json(const TapReport& report) {
  const TapVerdict* first = report.first_failure();
  ordered_json taps = ordered_json::array();
  for (const TapVerdict& verdict : report.verdicts) taps.push_back(tap_document(verdict));
  return {{"against", report.against},
          {"gate", report.gate},
          {"passed", report.passed()},
          {"failed", report.failed()},
          {"first_failure", first == nullptr ? ordered_json(nullptr) : ordered_json(first->tap)},
          {"taps", taps}};
}

std::string to_text(const TapReport& report) {
  Table table({"", "tap", "shape", "distance", "gate", "worst element"},
              {Align::left, Align::left, Align::left, Align::right, Align::right, Align::left});
  for (const TapVerdict& verdict : report.verdicts)
    table.add({verdict.holds ? "pass" : "FAIL", verdict.tap, list(verdict.shape), distance(verdict),
               fmt::format("{:.1e}", verdict.gate), worst(verdict)});
  return table.text() + fmt::format("\n{} passed, {} failed\n", report.passed(), report.failed());
}

}  // namespace ramet::cli
