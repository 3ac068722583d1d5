#include "policy/robot/action_decoder.h"

#include "policy/robot/pose.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ramet {
namespace {

using Rule = ActionField::Rule;

struct StatisticPair {
  Statistic shift, scale;
};

StatisticPair statistics_of(Rule rule, bool percentiles) {
  if (rule == Rule::mean_std) return {Statistic::mean, Statistic::std};
  if (percentiles) return {Statistic::q01, Statistic::q99};
  return {Statistic::min, Statistic::max};
}

Status check_rows(const KeyStatistics& statistics, const StatisticRows& found, int64_t dims, int64_t horizon) {
  if (found.dims == dims && (found.rows == 1 || found.rows >= horizon)) return {};
  return fail(Code::shape_mismatch, statistics.where, fmt::format("statistics [{}] or [{}][{}]", dims, horizon, dims),
              fmt::format("[{}][{}]", found.rows, found.dims));
}

Status read_statistics(const KeyStatistics& statistics, bool percentiles, int64_t horizon, ActionField& field) {
  const StatisticPair pair = statistics_of(field.rule, percentiles);
  RAMET_TRY(field.shift, statistics.require(pair.shift));
  RAMET_TRY(field.scale, statistics.require(pair.scale));
  RAMET_TRY_STATUS(check_rows(statistics, field.shift, field.dims, horizon));
  RAMET_TRY_STATUS(check_rows(statistics, field.scale, field.dims, horizon));
  if (field.shift.rows != field.scale.rows)
    return fail(Code::shape_mismatch, fmt::format("{}.{}", statistics.where, name(pair.scale)),
                fmt::format("{} rows, as in {}", field.shift.rows, name(pair.shift)),
                fmt::format("{}", field.scale.rows));
  if (field.rule == Rule::bounds)
    for (size_t i = 0; i < field.shift.values.size(); ++i) field.scale.values[i] -= field.shift.values[i];
  return {};
}

Status check_supported(const ActionConfig& config, bool keep_delta_actions, const std::string& where) {
  if (config.rep == ActionRepresentation::delta && !keep_delta_actions)
    return fail(Code::unsupported, where, "rep RELATIVE or ABSOLUTE", "DELTA", "N1.7 does not decode DELTA");
  const bool joints = config.type == ActionType::non_eef;
  if (joints && config.format != ActionFormat::default_format)
    return fail(Code::invalid_value, where, "format DEFAULT for type NON_EEF", std::string(name(config.format)));
  return {};
}

// The reference state must exist and have the width of the action.
Status check_reference(const ActionField& field, const Modality& state, const Statistics& statistics,
                       const std::string& tag, const std::string& where) {
  const std::string& key = field.config.state_key;
  if (!state.has_key(key)) return fail(Code::not_found, where, "a state_key among the state keys of this robot", key);
  if (field.config.type == ActionType::eef && field.dims != pose_width(field.config.format))
    return fail(Code::shape_mismatch, where,
                fmt::format("{} values of format {}", pose_width(field.config.format), name(field.config.format)),
                fmt::format("{} in the statistics", field.dims));
  if (!statistics.has(tag, StatisticsGroup::state, key)) return {};
  RAMET_TRY(const KeyStatistics found, statistics.find(tag, StatisticsGroup::state, key));
  if (found.dims() == 0 || found.dims() == field.dims) return {};
  return fail(Code::shape_mismatch, found.where, fmt::format("{} values, as in the action {}", field.dims, field.key),
              fmt::format("{}", found.dims()));
}

double unnormalize(const ActionField& field, float n, double shift, double scale) {
  if (field.rule == Rule::bounds) return (n + 1) / 2 * scale + shift;
  return scale == 0 ? n : static_cast<float>(n * scale + shift);
}

void unnormalize_row(const ActionField& field, const float* n, bool clip, int64_t step, std::span<double> out) {
  const auto shift = field.shift.row(step);
  const auto scale = field.scale.row(step);
  const bool clipped = clip && field.rule == Rule::bounds;
  for (size_t i = 0; i < out.size(); ++i) {
    const float value = clipped ? std::clamp(n[i], -1.0F, 1.0F) : n[i];
    out[i] = unnormalize(field, value, shift[i], scale[i]);
  }
}

Result<std::span<const float>> reference_of(const ActionField& field, const RawState& state) {
  const std::string where = "state." + field.config.state_key;
  const auto it = state.find(field.config.state_key);
  if (it == state.end() || it->second.empty())
    return fail(Code::not_found, where, "the reference of the relative action " + field.key, "none");
  const std::span<const float> last = it->second.back();
  if (static_cast<int64_t>(last.size()) != field.dims)
    return fail(Code::shape_mismatch, where, fmt::format("{} values, as in the action {}", field.dims, field.key),
                fmt::format("{}", last.size()));
  return last;
}

// Turns the unnormalised values of one step into the command.
class Reference {
 public:
  static Result<Reference> make(const ActionField& field, const RawState& state) {
    Reference reference(field);
    if (!field.is_relative) return reference;
    RAMET_TRY(reference.state_, reference_of(field, state));
    if (field.config.type == ActionType::eef) {
      RAMET_TRY(reference.pose_, parse_pose(reference.state_, field.config.format, "state." + field.config.state_key));
    }
    return reference;
  }

  Status write(std::span<const double> u, int64_t step, std::span<float> out) const {
    if (field_->is_relative && field_->config.type == ActionType::eef) return write_end_effector(u, step, out);
    for (size_t i = 0; i < u.size(); ++i) out[i] = static_cast<float>(field_->is_relative ? state_[i] + u[i] : u[i]);
    return {};
  }

 private:
  explicit Reference(const ActionField& field) : field_(&field) {}

  Status write_end_effector(std::span<const double> u, int64_t step, std::span<float> out) const {
    const ActionFormat format = field_->config.format;
    RAMET_TRY(const Pose relative, parse_pose(u, format, fmt::format("actions.{}[{}]", field_->key, step)));
    write_pose(compose(pose_, relative), format, out);
    return {};
  }

  const ActionField* field_;
  std::span<const float> state_;
  Pose pose_{};
};

bool is_matrix(const ActionField& field) {
  return field.is_relative && field.config.type == ActionType::eef &&
         field.config.format == ActionFormat::default_format;
}

// LeRobot's gripper command for the LIBERO simulator.
void apply_libero(std::span<float> gripper) {
  for (float& g : gripper) {
    const float centered = 2 * g - 1;
    g = centered > 0 ? -1.0F : centered < 0 ? 1.0F : 0.0F;
  }
}

Status check_libero(const std::vector<ActionField>& fields, const std::string& tag) {
  for (const ActionField& field : fields)
    if (field.key == "gripper" && field.dims == 1) return {};
  return fail(Code::unsupported, tag + ": action", "a key gripper of one value, for the action transform libero",
              "none");
}

Result<ActionField> make_field(const ProcessorConfig& config, const ModalityConfig& modality,
                               const Statistics& statistics, const std::string& tag, size_t index) {
  ActionField field;
  field.key = modality.action.modality_keys[index];
  field.config = modality.action_configs[index];
  const std::string where = fmt::format("{}: action.{}", tag, field.key);
  RAMET_TRY_STATUS(check_supported(field.config, config.keep_delta_actions, where));
  field.rule = modality.action.is_mean_std(field.key) ? Rule::mean_std : Rule::bounds;
  field.is_relative = field.config.rep == ActionRepresentation::relative && config.use_relative_action;
  RAMET_TRY(KeyStatistics found, statistics.find(tag, StatisticsGroup::action, field.key));
  field.dims = found.dims();
  if (field.dims == 0) return tl::unexpected(found.require(Statistic::min).error());
  if (field.is_relative) {
    RAMET_TRY(found, statistics.find(tag, StatisticsGroup::relative_action, field.key));
    RAMET_TRY_STATUS(check_reference(field, modality.state, statistics, tag, where));
  }
  const bool percentiles = config.use_percentiles && !field.is_relative;
  RAMET_TRY_STATUS(read_statistics(found, percentiles, modality.action.horizon(), field));
  return field;
}

}  // namespace

Result<ActionDecoder> ActionDecoder::make(const ProcessorConfig& config, const ModalityConfig& modality,
                                          const Statistics& statistics, const std::string& tag) {
  ActionDecoder decoder;
  decoder.horizon_ = modality.action.horizon();
  decoder.transform_ = config.action_transform;
  decoder.clip_ = config.clip_normalized_action;
  for (size_t i = 0; i < modality.action.modality_keys.size(); ++i) {
    RAMET_TRY(ActionField field, make_field(config, modality, statistics, tag, i));
    field.first_column = decoder.columns_;
    decoder.columns_ += field.dims;
    decoder.fields_.push_back(std::move(field));
  }
  if (decoder.columns_ > config.max_action_dim)
    return fail(Code::shape_mismatch, tag + ": action",
                fmt::format("at most max_action_dim = {} columns", config.max_action_dim),
                fmt::format("{}", decoder.columns_));
  if (decoder.transform_ == ActionTransform::libero) RAMET_TRY_STATUS(check_libero(decoder.fields_, tag));
  return decoder;
}

bool ActionDecoder::is_relative() const {
  return std::any_of(fields_.begin(), fields_.end(), [](const ActionField& field) { return field.is_relative; });
}

Status ActionDecoder::check_input(ConstView normalized) const {
  if (normalized.dtype() != DType::f32)
    return fail(Code::unsupported_dtype, "actions.normalized", "F32", std::string(name(normalized.dtype())));
  const Shape& shape = normalized.shape();
  if (shape.rank() != 2 || shape[0] < horizon_ || shape[1] < columns_)
    return fail(Code::shape_mismatch, "actions.normalized", fmt::format("at least [{},{}]", horizon_, columns_),
                str(shape));
  for (int64_t step = 0; step < horizon_; ++step)
    for (int64_t i = 0; i < columns_; ++i)
      if (const float value = normalized.row<float>(step)[i]; !std::isfinite(value))
        return fail(Code::not_finite, fmt::format("actions.normalized[{}][{}]", step, i), "a finite number",
                    fmt::format("{}", value));
  return {};
}

Result<Action> ActionDecoder::decode_field(const ActionField& field, ConstView normalized,
                                           const RawState& state) const {
  RAMET_TRY(const Reference reference, Reference::make(field, state));
  const Shape shape = is_matrix(field) ? Shape{horizon_, 4, 4} : Shape{horizon_, field.dims};
  RAMET_TRY(Buffer values, Buffer::make(DType::f32, shape));
  const auto dims = static_cast<size_t>(field.dims);
  std::vector<double> u(dims);
  for (int64_t step = 0; step < horizon_; ++step) {
    unnormalize_row(field, normalized.row<float>(step) + field.first_column, clip_, step, u);
    const auto out = values.flat<float>().subspan(static_cast<size_t>(step) * dims, dims);
    RAMET_TRY_STATUS(reference.write(u, step, out));
  }
  if (transform_ == ActionTransform::libero && field.key == "gripper") apply_libero(values.flat<float>());
  return Action{field.key, std::move(values)};
}

Result<std::vector<Action>> ActionDecoder::decode(ConstView normalized, const RawState& state) const {
  RAMET_TRY_STATUS(check_input(normalized));
  std::vector<Action> actions;
  for (const ActionField& field : fields_) {
    RAMET_TRY(Action action, decode_field(field, normalized, state));
    actions.push_back(std::move(action));
  }
  return actions;
}

}  // namespace ramet
