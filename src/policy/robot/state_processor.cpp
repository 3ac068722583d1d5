#include "policy/robot/state_processor.h"

#include "base/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ramet {
namespace {

using Rule = StateField::Rule;

// As numpy.isclose(hi, lo) sees them: a dimension that never moved.
bool is_close(double range, double lo) { return std::abs(range) <= 1e-8 + 1e-5 * std::abs(lo); }

float normalize_bounds(float v, double lo, double range, bool clip) {
  if (is_close(range, lo)) return 0;
  const auto unit = static_cast<float>((v - lo) / range);
  const float n = 2 * unit - 1;
  return clip ? std::clamp(n, -1.0F, 1.0F) : n;
}

float normalize_mean_std(float v, double mean, double std) {
  return std == 0 ? v : static_cast<float>((v - mean) / std);
}

Rule rule_of(const ProcessorConfig& config, const Modality& state, const std::string& key) {
  if (config.apply_sincos_state_encoding && state.is_sin_cos(key)) return Rule::sin_cos;
  return state.is_mean_std(key) ? Rule::mean_std : Rule::bounds;
}

Status read_mean_std(const KeyStatistics& statistics, StateField& field) {
  RAMET_TRY(const StatisticRows mean, statistics.require(Statistic::mean));
  RAMET_TRY(const StatisticRows std, statistics.require(Statistic::std));
  field.shift = mean.values;
  field.scale = std.values;
  return {};
}

Status read_bounds(const KeyStatistics& statistics, bool percentiles, StateField& field) {
  RAMET_TRY(const StatisticRows lo, statistics.require(percentiles ? Statistic::q01 : Statistic::min));
  RAMET_TRY(const StatisticRows hi, statistics.require(percentiles ? Statistic::q99 : Statistic::max));
  field.shift = lo.values;
  field.scale = hi.values;
  for (size_t i = 0; i < field.scale.size(); ++i) field.scale[i] -= field.shift[i];
  return {};
}

Status check_one_row(const KeyStatistics& statistics) {
  for (const StatisticRows& rows : statistics.rows)
    if (rows.rows > 1)
      return fail(Code::invalid_file, statistics.where, "lists of numbers", fmt::format("{} rows", rows.rows));
  return {};
}

Result<StateField> make_field(const ProcessorConfig& config, const Modality& state, const Statistics& statistics,
                              const std::string& tag, const std::string& key) {
  StateField field{.key = key, .rule = rule_of(config, state, key), .shift = {}, .scale = {}};
  if (field.rule == Rule::sin_cos && !statistics.has(tag, StatisticsGroup::state, key)) return field;
  RAMET_TRY(const KeyStatistics found, statistics.find(tag, StatisticsGroup::state, key));
  RAMET_TRY_STATUS(check_one_row(found));
  field.dims = found.dims();
  if (field.rule == Rule::mean_std) RAMET_TRY_STATUS(read_mean_std(found, field));
  if (field.rule == Rule::bounds) RAMET_TRY_STATUS(read_bounds(found, config.use_percentiles, field));
  return field;
}

Status check_rows(const StateField& field, const StateRows& rows, int64_t history, const std::string& where) {
  if (static_cast<int64_t>(rows.size()) != history)
    return fail(Code::shape_mismatch, where, fmt::format("{} time steps, oldest first", history),
                fmt::format("{}", rows.size()));
  const size_t dims = field.dims > 0 ? static_cast<size_t>(field.dims) : rows.front().size();
  for (const auto& row : rows) {
    if (row.size() != dims || row.empty())
      return fail(Code::shape_mismatch, where, fmt::format("{} numbers per time step", std::max<size_t>(dims, 1)),
                  fmt::format("{}", row.size()));
    for (size_t i = 0; i < row.size(); ++i)
      if (!std::isfinite(row[i]))
        return fail(Code::not_finite, fmt::format("{}[{}]", where, i), "a finite number", fmt::format("{}", row[i]));
  }
  return {};
}

// Writes the columns of one key at one time step; returns their number.
int64_t write_columns(const StateField& field, const std::vector<float>& row, bool clip, float* out) {
  const size_t dims = row.size();
  for (size_t i = 0; i < dims; ++i) switch (field.rule) {
      case Rule::sin_cos:
        out[i] = static_cast<float>(std::sin(double{row[i]}));
        out[dims + i] = static_cast<float>(std::cos(double{row[i]}));
        break;
      case Rule::mean_std: out[i] = normalize_mean_std(row[i], field.shift[i], field.scale[i]); break;
      case Rule::bounds: out[i] = normalize_bounds(row[i], field.shift[i], field.scale[i], clip); break;
    }
  return field.columns(static_cast<int64_t>(dims));
}

}  // namespace

Result<StateProcessor> StateProcessor::make(const ProcessorConfig& config, const Modality& state,
                                            const Statistics& statistics, const std::string& tag) {
  StateProcessor processor;
  processor.history_ = state.horizon();
  processor.max_state_dim_ = config.max_state_dim;
  processor.exclude_state_ = config.exclude_state || state.exclude_state;
  processor.clip_outliers_ = config.clip_outliers;
  int64_t columns = 0;
  for (const std::string& key : state.modality_keys) {
    RAMET_TRY(StateField field, make_field(config, state, statistics, tag, key));
    columns += field.columns(field.dims);
    processor.fields_.push_back(std::move(field));
  }
  if (columns > config.max_state_dim)
    return fail(Code::shape_mismatch, tag + ": state",
                fmt::format("at most max_state_dim = {} columns", config.max_state_dim), fmt::format("{}", columns));
  return processor;
}

std::string StateProcessor::needs() const {
  std::vector<std::string> names;
  for (const StateField& field : fields_)
    names.push_back(field.dims > 0 ? fmt::format("{} [{}][{}]", field.key, history_, field.dims) : field.key);
  return "the robot needs " + list_names(names, names.size());
}

Status StateProcessor::check(const RawState& state, const std::string& where) const {
  std::vector<std::string> known;
  for (const StateField& field : fields_) {
    known.push_back(field.key);
    const auto it = state.find(field.key);
    const std::string place = fmt::format("{}: state.{}", where, field.key);
    if (it == state.end()) return fail(Code::not_found, place, "this state", "none", needs());
    if (auto status = check_rows(field, it->second, history_, place); !status) {
      status.error().hint = needs();
      return status;
    }
  }
  for (const auto& [key, rows] : state)
    if (std::find(known.begin(), known.end(), key) == known.end())
      return fail(Code::surplus, fmt::format("{}: state.{}", where, key), "a state of this robot", "an unknown key",
                  needs());
  return check_columns(state, where);
}

Status StateProcessor::check_columns(const RawState& state, const std::string& where) const {
  int64_t columns = 0;
  for (const StateField& field : fields_)
    columns += field.columns(static_cast<int64_t>(state.at(field.key).front().size()));
  if (columns <= max_state_dim_) return {};
  return fail(Code::shape_mismatch, where + ": state",
              fmt::format("at most max_state_dim = {} columns", max_state_dim_), fmt::format("{}", columns));
}

Result<Buffer> StateProcessor::normalize(const RawState& state, const std::string& where) const {
  RAMET_TRY_STATUS(check(state, where));
  RAMET_TRY(Buffer buffer, Buffer::make(DType::f32, {history_, max_state_dim_}));
  if (exclude_state_) return buffer;
  for (int64_t step = 0; step < history_; ++step) {
    float* out = buffer.view().row<float>(step);
    for (const StateField& field : fields_)
      out += write_columns(field, state.at(field.key)[static_cast<size_t>(step)], clip_outliers_, out);
  }
  for (const float value : buffer.flat<float>())
    if (!std::isfinite(value))
      return fail(Code::not_finite, where + ": state", "values that the statistics can normalise",
                  fmt::format("{}", value));
  return buffer;
}

}  // namespace ramet
