#include "policy/robot/pose.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <limits>

namespace ramet {
namespace {

using Matrix3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
using Vector3 = Eigen::Vector3d;
template <class T>
using Row = std::array<T, 3>;

template <class T>
T dot(const Row<T>& a, const Row<T>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

template <class T>
Row<T> cross(const Row<T>& a, const Row<T>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

template <class T>
Row<T> normalized(const Row<T>& a) {
  const T length = std::sqrt(dot(a, a));
  return {a[0] / length, a[1] / length, a[2] / length};
}

template <class T>
Row<T> reject(const Row<T>& b, const Row<T>& unit) {
  const T along = dot(unit, b);
  return {b[0] - along * unit[0], b[1] - along * unit[1], b[2] - along * unit[2]};
}

template <class T>
bool vanishes(const Row<T>& a, T scale) {
  return !(std::sqrt(dot(a, a)) > 4 * std::numeric_limits<T>::epsilon() * scale);
}

template <class T>
tl::unexpected<Error> no_rotation(std::span<const T> values, const std::string& where, std::string expected) {
  return fail(Code::invalid_value, where, std::move(expected), fmt::format("[{}]", fmt::join(values, ", ")));
}

template <class T>
Result<Matrix3> rotation_from_rows(std::span<const T> six, const std::string& where) {
  const Row<T> a{six[0], six[1], six[2]}, b{six[3], six[4], six[5]};
  const T square_a = dot(a, a);
  if (!(square_a > 0 && std::isfinite(square_a)) || vanishes(reject(b, normalized(a)), std::sqrt(dot(b, b))))
    return no_rotation(six, where, "two rows of a rotation matrix, neither zero nor parallel");
  const Row<T> row1 = normalized(a);
  const Row<T> row2 = normalized(reject(b, row1));
  const Row<T> row3 = cross(row1, row2);
  Matrix3 rotation;
  for (int i = 0; i < 3; ++i) {
    rotation(0, i) = row1[static_cast<size_t>(i)];
    rotation(1, i) = row2[static_cast<size_t>(i)];
    rotation(2, i) = row3[static_cast<size_t>(i)];
  }
  return rotation;
}

Matrix3 nearest_rotation(const Matrix3& matrix) {
  const Eigen::JacobiSVD<Matrix3> svd(matrix, Eigen::ComputeFullU | Eigen::ComputeFullV);
  return svd.matrixU() * svd.matrixV().transpose();
}

template <class T>
Result<Matrix3> rotation_from_matrix(std::span<const T> values, const std::string& where) {
  Matrix3 matrix;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) matrix(r, c) = values[static_cast<size_t>(4 * r + c)];
  if (!(matrix.determinant() > 0)) return no_rotation(values, where, "a 4x4 pose whose 3x3 part has determinant > 0");
  return matrix;
}

Matrix3 rotation_from_vector(const Vector3& vector) {
  const double angle = vector.norm();
  if (angle == 0) return Matrix3::Identity();
  return Eigen::Quaterniond(Eigen::AngleAxisd(angle, vector / angle)).toRotationMatrix();
}

Vector3 rotation_vector(const Matrix3& rotation) {
  const Eigen::AngleAxisd angle_axis(Eigen::Quaterniond(rotation).normalized());
  return angle_axis.angle() * angle_axis.axis();
}

template <class T>
Result<Matrix3> parse_rotation(std::span<const T> values, ActionFormat format, const std::string& where) {
  if (format == ActionFormat::xyz_rotvec)
    return rotation_from_vector(Vector3(values[3], values[4], values[5]));  // always a rotation
  const bool rows = format == ActionFormat::xyz_rot6d;
  RAMET_TRY(const Matrix3 matrix,
            rows ? rotation_from_rows(values.subspan(3), where) : rotation_from_matrix(values, where));
  return nearest_rotation(matrix);
}

template <class T>
Result<Pose> parse(std::span<const T> values, ActionFormat format, const std::string& where) {
  RAMET_TRY(const Matrix3 rotation, parse_rotation(values, format, where));
  Pose pose;
  Eigen::Map<Matrix3>(pose.rotation.data()) = rotation;
  const size_t stride = format == ActionFormat::default_format ? 4 : 1;
  const size_t first = format == ActionFormat::default_format ? 3 : 0;
  for (size_t i = 0; i < 3; ++i) pose.translation[i] = values[first + i * stride];
  return pose;
}

void write_matrix(const Pose& pose, std::span<float> out) {
  for (size_t r = 0; r < 3; ++r) {
    for (size_t c = 0; c < 3; ++c) out[4 * r + c] = static_cast<float>(pose.rotation[3 * r + c]);
    out[4 * r + 3] = static_cast<float>(pose.translation[r]);
  }
  const std::array<float, 4> last_row{0, 0, 0, 1};
  std::copy(last_row.begin(), last_row.end(), out.begin() + 12);
}

}  // namespace

int64_t pose_width(ActionFormat format) {
  switch (format) {
    case ActionFormat::default_format: return 16;
    case ActionFormat::xyz_rot6d: return 9;
    case ActionFormat::xyz_rotvec: return 6;
  }
  return 0;
}

Result<Pose> parse_pose(std::span<const double> values, ActionFormat format, const std::string& where) {
  return parse(values, format, where);
}

Result<Pose> parse_pose(std::span<const float> values, ActionFormat format, const std::string& where) {
  return parse(values, format, where);
}

Pose compose(const Pose& a, const Pose& b) {
  const Eigen::Map<const Matrix3> rotation_a(a.rotation.data()), rotation_b(b.rotation.data());
  const Eigen::Map<const Vector3> translation_a(a.translation.data()), translation_b(b.translation.data());
  Pose result;
  Eigen::Map<Matrix3>(result.rotation.data()) = rotation_a * rotation_b;
  Eigen::Map<Vector3>(result.translation.data()) = translation_a + rotation_a * translation_b;
  return result;
}

void write_pose(const Pose& pose, ActionFormat format, std::span<float> out) {
  if (format == ActionFormat::default_format) return write_matrix(pose, out);
  const auto to_float = [](double value) { return static_cast<float>(value); };
  std::transform(pose.translation.begin(), pose.translation.end(), out.begin(), to_float);
  if (format == ActionFormat::xyz_rot6d) {
    std::transform(pose.rotation.begin(), pose.rotation.begin() + 6, out.begin() + 3, to_float);
  } else {
    const Vector3 vector = rotation_vector(Eigen::Map<const Matrix3>(pose.rotation.data()));
    std::transform(vector.begin(), vector.end(), out.begin() + 3, to_float);
  }
}

}  // namespace ramet
