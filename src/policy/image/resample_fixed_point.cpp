// OpenCV's bilinear resize in fixed point: INTER_LINEAR, and INTER_AREA as soon as an axis grows.
#include "policy/image/resample_kernels.h"

#include <array>
#include <cmath>

namespace ramet {
namespace {

constexpr float kOne = 2048.0F;  // a weight of 1

// Two neighbours and their weights.
struct Blend {
  int64_t index0;
  int64_t index1;
  int32_t weight0;
  int32_t weight1;
};

struct Position {
  int64_t index;
  float fraction;
};

// INTER_LINEAR: sample centres of both grids coincide.
Position centre_position(int64_t d, double scale) {
  const auto t = static_cast<float>((static_cast<double>(d) + 0.5) * scale - 0.5);
  const float floor = std::floor(t);
  return {static_cast<int64_t>(floor), t - floor};
}

// INTER_AREA that enlarges: blends only where an output straddles two source samples.
Position area_position(int64_t d, double scale, double inverse) {
  const double s = std::floor(static_cast<double>(d) * scale);
  const auto t = static_cast<float>(static_cast<double>(d + 1) - (s + 1) * inverse);
  return {static_cast<int64_t>(s), t <= 0 ? 0.0F : t - std::floor(t)};
}

Position position(int64_t d, int64_t n, int64_t outputs, CvMode coordinates) {
  const double scale = cv_scale(n, outputs);
  if (coordinates == CvMode::linear) return centre_position(d, scale);
  return area_position(d, scale, static_cast<double>(outputs) / static_cast<double>(n));
}

// Columns beyond the edge take the edge sample alone; rows keep their fraction, and only the indices are clamped.
enum class Edge { column, row };

std::vector<Blend> blends(int64_t n, int64_t outputs, CvMode coordinates, Edge edge) {
  std::vector<Blend> list(static_cast<size_t>(outputs));
  for (int64_t d = 0; d < outputs; ++d) {
    auto [s, f] = position(d, n, outputs, coordinates);
    if (edge == Edge::column && (s < 0 || s >= n - 1)) f = 0;
    const auto clamped = [&](int64_t index) { return std::clamp<int64_t>(index, 0, n - 1); };
    list[static_cast<size_t>(d)] = {clamped(s), clamped(s + 1), round_even((1.0F - f) * kOne), round_even(f * kOne)};
  }
  return list;
}

void blend_columns(const uint8_t* in, const std::vector<Blend>& columns, int32_t* line) {
  for (const Blend& b : columns)
    for (int64_t c = 0; c < 3; ++c) *line++ = in[3 * b.index0 + c] * b.weight0 + in[3 * b.index1 + c] * b.weight1;
}

// Source rows already blended along x: each is needed by several outputs.
class Lines {
 public:
  Lines(const Image& in, const std::vector<Blend>& columns) : in_(in), columns_(columns) {
    for (auto& line : lines_) line.resize(3 * columns.size());
  }
  // The line of source row y. `keep` is a row whose line must survive.
  const int32_t* line(int64_t y, int64_t keep) {
    for (size_t k = 0; k < 2; ++k)
      if (rows_[k] == y) return lines_[k].data();
    const size_t k = rows_[0] == keep ? 1 : 0;
    rows_[k] = y;
    blend_columns(in_.row(y), columns_, lines_[k].data());
    return lines_[k].data();
  }

 private:
  const Image& in_;
  const std::vector<Blend>& columns_;
  std::array<std::vector<int32_t>, 2> lines_;
  std::array<int64_t, 2> rows_{-1, -1};
};

}  // namespace

//   H   = in[index0] w0 + in[index1] w1                                                along columns
//   out = (((w0 (H0 >> 4)) >> 16) + ((w1 (H1 >> 4)) >> 16) + 2) >> 2                   along rows
void resize_fixed_point(const Image& in, CvMode coordinates, Image& out) {
  const std::vector<Blend> columns = blends(in.width(), out.width(), coordinates, Edge::column);
  const std::vector<Blend> rows = blends(in.height(), out.height(), coordinates, Edge::row);
  Lines lines(in, columns);
  for (int64_t y = 0; y < out.height(); ++y) {
    const Blend& b = rows[static_cast<size_t>(y)];
    const int32_t* h0 = lines.line(b.index0, b.index1);
    const int32_t* h1 = lines.line(b.index1, b.index0);
    uint8_t* to = out.row(y);
    for (int64_t i = 0; i < out.row_bytes(); ++i) {
      const int32_t above = (b.weight0 * (h0[i] >> 4)) >> 16;
      const int32_t below = (b.weight1 * (h1[i] >> 4)) >> 16;
      to[i] = static_cast<uint8_t>((above + below + 2) >> 2);
    }
  }
}

}  // namespace ramet
