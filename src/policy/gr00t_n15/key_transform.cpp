#include "policy/gr00t_n15/key_transform.h"

#include "base/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace ramet {
namespace {

using Kind = RotationFormat::Kind;

Result<KeyMetadata> find_metadata(const KeySteps& steps, const RobotMetadata& robot, StatisticsGroup group) {
  const auto& keys = group == StatisticsGroup::state ? robot.state : robot.action;
  if (const auto it = keys.find(steps.key); it != keys.end()) return it->second;
  std::vector<std::string> known;
  for (const auto& entry : keys) known.push_back(entry.first);
  return fail(Code::not_found, fmt::format("{}.modalities.{}", robot.where, name(group)),
              fmt::format("the key {} of the data configuration", steps.key), list_names(known, known.size()),
              "the data configuration is another robot's");
}

Status check_rotation(const KeySteps& steps, const KeyMetadata& metadata) {
  if (!metadata.rotation)
    return fail(Code::invalid_value, metadata.where + ".rotation_type",
                "a format, as the data configuration converts this key", "null");
  if (metadata.rotation->kind == Kind::euler && steps.rotation->kind == Kind::euler &&
      *metadata.rotation != *steps.rotation)
    return fail(Code::unsupported, metadata.where + ".rotation_type", "no change between two orders of Euler angles",
                "one");
  if (steps.normalization != NormalizerMode::none && !metadata.absolute)
    return fail(Code::unsupported, metadata.where, "no normalisation after converting a relative rotation",
                std::string(name(steps.normalization)));
  return {};
}

Status check_normalization(const KeySteps& steps, const KeyMetadata& metadata) {
  if (metadata.continuous || !needs_statistics(steps.normalization)) return {};
  return fail(Code::invalid_value, metadata.where + ".continuous", "binary, as this key is not continuous",
              std::string(name(steps.normalization)));
}

Result<Normalizer> bounds_of_rotation(const RotationFormat& format, NormalizerMode mode, const std::string& where) {
  if (mode == NormalizerMode::none) return Normalizer();
  if (mode != NormalizerMode::min_max || format.kind == Kind::matrix)
    return fail(Code::unsupported, where, "min_max of a vector after a change of the rotation's format",
                std::string(name(mode)));
  const bool is_angle = format.kind == Kind::euler || format.kind == Kind::axis_angle;
  const float bound = is_angle ? std::numbers::pi_v<float> : 1.0F;
  return Normalizer::fixed_bounds(-bound, bound, format.width());
}

Result<Normalizer> normalizer_for(const KeySteps& steps, const KeyMetadata& metadata, const RobotMetadata& robot,
                                  StatisticsGroup group) {
  if (!needs_statistics(steps.normalization)) return Normalizer::make(steps.normalization, {}, metadata.dims);
  RAMET_TRY(const KeyStatistics statistics, robot.statistics.find(robot.tag, group, steps.key));
  return Normalizer::make(steps.normalization, statistics, metadata.dims);
}

std::array<double, 9> widened(std::span<const float> values) {
  std::array<double, 9> result{};
  std::copy(values.begin(), values.end(), result.begin());
  return result;
}

void convert(std::span<const float> in, const RotationFormat& from, const RotationFormat& to, std::span<float> out) {
  const std::array<double, 9> values = widened(in);
  std::array<double, 9> converted{};
  convert_rotation(std::span(values).first(in.size()), from, to, std::span(converted).first(out.size()));
  std::transform(converted.begin(), converted.begin() + static_cast<ptrdiff_t>(out.size()), out.begin(),
                 [](double value) { return static_cast<float>(value); });
}

}  // namespace

Result<KeyTransform> KeyTransform::make(const KeySteps& steps, const RobotMetadata& robot, StatisticsGroup group) {
  KeyTransform transform;
  transform.steps_ = steps;
  RAMET_TRY(const KeyMetadata metadata, find_metadata(steps, robot, group));
  transform.raw_dims_ = metadata.dims;
  RAMET_TRY_STATUS(check_normalization(steps, metadata));
  if (steps.rotation) {
    RAMET_TRY_STATUS(check_rotation(steps, metadata));
    transform.raw_format_ = *metadata.rotation;
    RAMET_TRY(transform.normalizer_, bounds_of_rotation(*steps.rotation, steps.normalization, metadata.where));
  } else {
    RAMET_TRY(transform.normalizer_, normalizer_for(steps, metadata, robot, group));
  }
  return transform;
}

int64_t KeyTransform::format_dims() const { return steps_.rotation ? steps_.rotation->width() : raw_dims_; }

int64_t KeyTransform::columns() const { return steps_.sin_cos ? 2 * format_dims() : format_dims(); }

void KeyTransform::forward(std::span<const float> raw, std::span<float> columns) const {
  const std::span<float> values = columns.first(static_cast<size_t>(format_dims()));
  if (steps_.rotation)
    convert(raw, raw_format_, *steps_.rotation, values);
  else
    std::copy(raw.begin(), raw.end(), values.begin());
  normalizer_.forward(values);
  if (!steps_.sin_cos) return;
  for (size_t i = 0; i < values.size(); ++i) {
    const float angle = values[i];
    columns[values.size() + i] = std::cos(angle);
    columns[i] = std::sin(angle);
  }
}

void KeyTransform::inverse(std::span<const float> columns, std::span<float> raw) const {
  std::vector<float> values(columns.begin(), columns.end());
  normalizer_.inverse(values);
  if (steps_.rotation)
    convert(values, *steps_.rotation, raw_format_, raw);
  else
    std::copy(values.begin(), values.end(), raw.begin());
}

}  // namespace ramet
