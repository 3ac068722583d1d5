// Conversions between the descriptions of a rotation that robots of GR00T N1.5 use; always through the matrix R, which
// turns column vectors.
//
//   axis_angle        a v: unit vector times angle
//   quaternion        (w, x, y, z), of any length
//   rotation_6d       the first two rows of R; read back by Gram and Schmidt, the third row is their cross product
//   matrix            R, row-major
//   euler_angles_abc  R = R_a(t1) R_b(t2) R_c(t3), with a, b, c of r (about X), p (Y), y (Z)
//
// Written quaternions have w >= 0. Values are float64. Source: spec gr00t-n1.5, section 5.5.
#pragma once

#include <ramet/error.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ramet {

struct RotationFormat {
  enum class Kind { axis_angle, quaternion, rotation_6d, matrix, euler };

  Kind kind = Kind::matrix;
  std::array<size_t, 3> axes{};  // of Euler angles: 0, 1, 2 for X, Y, Z

  int64_t width() const;
  friend bool operator==(const RotationFormat&, const RotationFormat&) = default;
};

// Errors: invalid_value at `where`, listing the names.
Result<RotationFormat> parse_rotation_format(std::string_view name, const std::string& where);

// `in` and `out` have the widths of their formats. Numbers that are no rotation (zeros) give numbers that are none.
void convert_rotation(std::span<const double> in, const RotationFormat& from, const RotationFormat& to,
                      std::span<double> out);

}  // namespace ramet
