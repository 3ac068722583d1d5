// One state or action key of GR00T N1.5 between the robot's numbers and the model's columns.
//
//   forward   x -> change of the rotation's format -> normalisation, or [sin(x), cos(x)]
//   inverse   the same backwards, from the model's columns
//
// min_max after a change of format uses fixed bounds: +-1 for rotation_6d and quaternion, +-pi for angles.
// Errors of make: not_found, invalid_file, invalid_value, shape_mismatch, unsupported, when key, steps, metadata and
// statistics do not go together. Source: spec gr00t-n1.5, sections 5.3, 5.5 and 8.1.
#pragma once

#include "policy/gr00t_n15/data_config.h"
#include "policy/gr00t_n15/metadata.h"

#include <ramet/error.h>

#include <span>
#include <string>

namespace ramet {

class KeyTransform {
 public:
  static Result<KeyTransform> make(const KeySteps& steps, const RobotMetadata& robot, StatisticsGroup group);

  const std::string& key() const { return steps_.key; }
  const KeySteps& steps() const { return steps_; }
  int64_t raw_dims() const { return raw_dims_; }
  int64_t columns() const;

  void forward(std::span<const float> raw, std::span<float> columns) const;
  void inverse(std::span<const float> columns, std::span<float> raw) const;  // not for sin_cos and scale

 private:
  int64_t format_dims() const;  // after the change of format

  KeySteps steps_;
  int64_t raw_dims_ = 0;
  RotationFormat raw_format_;
  Normalizer normalizer_;
};

}  // namespace ramet
