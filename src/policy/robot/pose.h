// Rigid poses of an end effector: rotation R and translation t.
//
//   DEFAULT     16 values, row-major 4x4 [R t; 0 0 0 1]; the last row is ignored
//   XYZ_ROT6D    9 values, t and the first two rows of R: row 1 = a/|a|, row 2 = (b - (row1.b) row1)/|...|, row 3 =
//   cross XYZ_ROTVEC   6 values, t and the rotation vector; written with an angle in [0, pi]
//
// R of DEFAULT and XYZ_ROT6D is replaced by the nearest rotation, U V^T of its SVD; R with det <= 0 and rows that span
// no plane are refused. Source: spec gr00t-n1.7, section 7.
#pragma once

#include "policy/robot/modality.h"

#include <ramet/error.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace ramet {

struct Pose {
  std::array<double, 9> rotation;  // row-major
  std::array<double, 3> translation;
};

int64_t pose_width(ActionFormat format);  // 16, 9 or 6

// `values` has pose_width numbers; `where` is for the error. Errors: invalid_value.
Result<Pose> parse_pose(std::span<const double> values, ActionFormat format, const std::string& where);
// From a float32 state, whose rot6d the original orthonormalises in float32: needed to match it bit for bit.
Result<Pose> parse_pose(std::span<const float> values, ActionFormat format, const std::string& where);

Pose compose(const Pose& a, const Pose& b);  // R = Ra Rb, t = ta + Ra tb
void write_pose(const Pose& pose, ActionFormat format, std::span<float> out);

}  // namespace ramet
