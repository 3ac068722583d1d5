#include "policy/gr00t_n15/rotation.h"

#include "base/names.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace ramet {
namespace {

using Kind = RotationFormat::Kind;
using Vector3 = std::array<double, 3>;
using Matrix3 = std::array<Vector3, 3>;  // rows
using Quaternion = std::array<double, 4>;

constexpr std::string_view kEuler = "euler_angles_";
constexpr std::string_view kAxisNames = "rpy";

struct Named {
  std::string_view name;
  Kind kind;
};
constexpr std::array kNamed{Named{"axis_angle", Kind::axis_angle}, Named{"quaternion", Kind::quaternion},
                            Named{"rotation_6d", Kind::rotation_6d}, Named{"matrix", Kind::matrix}};
constexpr std::array kOrders{"rpy", "ryp", "pry", "pyr", "yrp", "ypr"};

double dot(const Vector3& a, const Vector3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

Vector3 scaled(const Vector3& a, double factor) { return {a[0] * factor, a[1] * factor, a[2] * factor}; }

Vector3 normalized(const Vector3& a) { return scaled(a, 1 / std::max(std::sqrt(dot(a, a)), 1e-12)); }

Vector3 cross(const Vector3& a, const Vector3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

Matrix3 multiply(const Matrix3& a, const Matrix3& b) {
  Matrix3 product{};
  for (size_t r = 0; r < 3; ++r)
    for (size_t c = 0; c < 3; ++c)
      for (size_t k = 0; k < 3; ++k) product[r][c] += a[r][k] * b[k][c];
  return product;
}

// sin(angle / 2) / angle, by its series near zero.
double half_sine_ratio(double angle) {
  if (std::abs(angle) < 1e-6) return 0.5 - angle * angle / 48;
  return std::sin(angle / 2) / angle;
}

Quaternion quaternion_of_axis_angle(const Vector3& v) {
  const double angle = std::sqrt(dot(v, v));
  const Vector3 xyz = scaled(v, half_sine_ratio(angle));
  return {std::cos(angle / 2), xyz[0], xyz[1], xyz[2]};
}

Vector3 axis_angle_of_quaternion(const Quaternion& q) {
  const Vector3 xyz{q[1], q[2], q[3]};
  const double angle = 2 * std::atan2(std::sqrt(dot(xyz, xyz)), q[0]);
  return scaled(xyz, 1 / half_sine_ratio(angle));
}

Matrix3 matrix_of_quaternion(const Quaternion& q) {
  const auto [w, x, y, z] = q;
  const double s = 2 / (w * w + x * x + y * y + z * z);
  return {{{1 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w)},
           {s * (x * y + z * w), 1 - s * (x * x + z * z), s * (y * z - x * w)},
           {s * (x * z - y * w), s * (y * z + x * w), 1 - s * (x * x + y * y)}}};
}

// q_i q for the component i that is largest: row i of the outer product of q with itself, times 4.
Quaternion outer_row(const Matrix3& m, size_t i, double q_i) {
  const double square = q_i * q_i;
  const double wx = m[2][1] - m[1][2], wy = m[0][2] - m[2][0], wz = m[1][0] - m[0][1];
  const double xy = m[1][0] + m[0][1], xz = m[0][2] + m[2][0], yz = m[1][2] + m[2][1];
  const std::array<Quaternion, 4> rows{
      {{square, wx, wy, wz}, {wx, square, xy, xz}, {wy, xy, square, yz}, {wz, xz, yz, square}}};
  return rows[i];
}

Quaternion quaternion_of_matrix(const Matrix3& m) {
  const double a = m[0][0], b = m[1][1], c = m[2][2];
  Quaternion twice{1 + a + b + c, 1 + a - b - c, 1 - a + b - c, 1 - a - b + c};
  for (double& value : twice) value = std::sqrt(std::max(0.0, value));
  const auto largest = static_cast<size_t>(std::max_element(twice.begin(), twice.end()) - twice.begin());
  Quaternion q = outer_row(m, largest, twice[largest]);
  const double sign = q[0] < 0 ? -1 : 1;
  for (double& value : q) value *= sign / (2 * std::max(twice[largest], 0.1));
  return q;
}

Matrix3 matrix_of_rows(const Vector3& a, const Vector3& b) {
  const Vector3 row1 = normalized(a);
  const double along = dot(row1, b);
  const Vector3 row2 = normalized({b[0] - along * row1[0], b[1] - along * row1[1], b[2] - along * row1[2]});
  return {row1, row2, cross(row1, row2)};
}

Matrix3 turn_about(size_t axis, double angle) {
  Matrix3 m{};
  const size_t next = (axis + 1) % 3, last = (axis + 2) % 3;
  m[axis][axis] = 1;
  m[next][next] = m[last][last] = std::cos(angle);
  m[last][next] = std::sin(angle);
  m[next][last] = -std::sin(angle);
  return m;
}

Matrix3 matrix_of_euler(std::span<const double> angles, const std::array<size_t, 3>& axes) {
  return multiply(multiply(turn_about(axes[0], angles[0]), turn_about(axes[1], angles[1])),
                  turn_about(axes[2], angles[2]));
}

Vector3 euler_of_matrix(const Matrix3& m, const std::array<size_t, 3>& axes) {
  const auto [i, j, k] = axes;
  const double sign = (i + 1) % 3 == j ? 1 : -1;  // of the order: cyclic or not
  return {std::atan2(-sign * m[j][k], m[k][k]), std::asin(std::clamp(sign * m[i][k], -1.0, 1.0)),
          std::atan2(-sign * m[i][j], m[i][i])};
}

Matrix3 to_matrix(std::span<const double> in, const RotationFormat& format) {
  switch (format.kind) {
    case Kind::axis_angle: return matrix_of_quaternion(quaternion_of_axis_angle({in[0], in[1], in[2]}));
    case Kind::quaternion: return matrix_of_quaternion({in[0], in[1], in[2], in[3]});
    case Kind::rotation_6d: return matrix_of_rows({in[0], in[1], in[2]}, {in[3], in[4], in[5]});
    case Kind::euler: return matrix_of_euler(in, format.axes);
    case Kind::matrix: break;
  }
  return {{{in[0], in[1], in[2]}, {in[3], in[4], in[5]}, {in[6], in[7], in[8]}}};
}

template <class Values>
void copy(const Values& values, std::span<double> out) {
  std::copy_n(values.begin(), std::min(values.size(), out.size()), out.begin());
}

void from_matrix(const Matrix3& m, const RotationFormat& format, std::span<double> out) {
  switch (format.kind) {
    case Kind::axis_angle: return copy(axis_angle_of_quaternion(quaternion_of_matrix(m)), out);
    case Kind::quaternion: return copy(quaternion_of_matrix(m), out);
    case Kind::euler: return copy(euler_of_matrix(m, format.axes), out);
    case Kind::rotation_6d:
    case Kind::matrix: break;
  }
  for (size_t i = 0; i < out.size(); ++i) out[i] = m[i / 3][i % 3];
}

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const Named& named : kNamed) names.emplace_back(named.name);
  for (const char* order : kOrders) names.push_back(std::string(kEuler) + order);
  return names;
}

}  // namespace

int64_t RotationFormat::width() const {
  switch (kind) {
    case Kind::axis_angle:
    case Kind::euler: return 3;
    case Kind::quaternion: return 4;
    case Kind::rotation_6d: return 6;
    case Kind::matrix: break;
  }
  return 9;
}

Result<RotationFormat> parse_rotation_format(std::string_view name, const std::string& where) {
  for (const Named& named : kNamed)
    if (named.name == name) return RotationFormat{named.kind, {}};
  for (const std::string_view order : kOrders)
    if (name.starts_with(kEuler) && name.substr(kEuler.size()) == order)
      return RotationFormat{Kind::euler,
                            {kAxisNames.find(order[0]), kAxisNames.find(order[1]), kAxisNames.find(order[2])}};
  return fail(Code::invalid_value, where, "a format of rotations", std::string(name),
              nearest_hint(name, format_names()));
}

void convert_rotation(std::span<const double> in, const RotationFormat& from, const RotationFormat& to,
                      std::span<double> out) {
  from_matrix(to_matrix(in, from), to, out);
}

}  // namespace ramet
