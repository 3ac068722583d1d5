// OpenCV: the choice of a method for the pair of axes, and the area methods.
#include "policy/image/resample_kernels.h"

#include <cmath>
#include <limits>
#include <span>

namespace ramet {
namespace {

bool is_integer(double scale) {
  return std::abs(scale - std::nearbyint(scale)) < std::numeric_limits<double>::epsilon();
}

int64_t integer_scale(int64_t from, int64_t to) { return static_cast<int64_t>(std::nearbyint(cv_scale(from, to))); }

// Adds to sum[x] the samples of block x of one row, channel by channel.
void add_blocks(const uint8_t* from, int64_t block_width, std::span<int64_t> sum) {
  for (size_t x = 0; x < sum.size(); x += 3) {
    int32_t r = 0;
    int32_t g = 0;
    int32_t b = 0;
    for (int64_t k = 0; k < block_width; ++k, from += 3) {
      r += from[0];
      g += from[1];
      b += from[2];
    }
    sum[x] += r;
    sum[x + 1] += g;
    sum[x + 2] += b;
  }
}

//   Output d covers d scale .. (d + 1) scale; each source sample weighs the share of it that lies inside.
AxisTaps<float> area_taps(int64_t n, int64_t outputs) {
  constexpr double kSliver = 1e-3;  // smaller shares are dropped
  const double scale = cv_scale(n, outputs);
  AxisTaps<float> taps(outputs, static_cast<int64_t>(scale) + 3);
  for (int64_t d = 0; d < outputs; ++d) {
    const double begin = static_cast<double>(d) * scale;
    const double end = begin + scale;
    const double cell = std::min(scale, static_cast<double>(n) - begin);
    const int64_t last = std::min(static_cast<int64_t>(std::floor(end)), n - 1);
    const int64_t first = std::min(static_cast<int64_t>(std::ceil(begin)), last);
    const double head = static_cast<double>(first) - begin;
    const double tail = end - static_cast<double>(last);
    float* w = taps.weight(d);
    int64_t count = 0;
    if (head > kSliver) w[count++] = static_cast<float>(head / cell);
    taps.first[static_cast<size_t>(d)] = first - count;
    for (int64_t s = first; s < last; ++s) w[count++] = static_cast<float>(1.0 / cell);
    if (tail > kSliver) w[count++] = static_cast<float>(std::min(std::min(tail, 1.0), cell) / cell);
    taps.count[static_cast<size_t>(d)] = count;
  }
  return taps;
}

void average_columns(std::span<const float> in, const AxisTaps<float>& taps, float* line) {
  for (int64_t x = 0; x < taps.outputs(); ++x, line += 3) {
    const float* from = in.data() + 3 * taps.first[static_cast<size_t>(x)];
    const float* w = taps.weight(x);
    const int64_t count = taps.count[static_cast<size_t>(x)];
    float r = 0;
    float g = 0;
    float b = 0;
    for (int64_t j = 0; j < count; ++j, from += 3) {
      r += from[0] * w[j];
      g += from[1] * w[j];
      b += from[2] * w[j];
    }
    line[0] = r;
    line[1] = g;
    line[2] = b;
  }
}

}  // namespace

void resize_opencv(const Image& in, CvMode mode, Image& out) {
  const double scale_x = cv_scale(in.width(), out.width());
  const double scale_y = cv_scale(in.height(), out.height());
  const bool halves = scale_x == 2.0 && scale_y == 2.0;
  const bool shrinks = scale_x >= 1 && scale_y >= 1;
  if (halves || (mode == CvMode::area && shrinks && is_integer(scale_x) && is_integer(scale_y)))
    resize_integer_area(in, out);
  else if (mode == CvMode::area && shrinks)
    resize_general_area(in, out);
  else
    resize_fixed_point(in, mode, out);
}

void resize_integer_area(const Image& in, Image& out) {
  const int64_t kx = integer_scale(in.width(), out.width());
  const int64_t ky = integer_scale(in.height(), out.height());
  const float share = 1.0F / static_cast<float>(kx * ky);
  const auto mean = [&](int64_t sum) {
    if (kx == 2 && ky == 2) return clamp_to_byte(static_cast<int32_t>((sum + 2) >> 2));
    return clamp_to_byte(round_even(static_cast<float>(sum) * share));
  };
  std::vector<int64_t> sum(static_cast<size_t>(out.row_bytes()));
  for (int64_t y = 0; y < out.height(); ++y) {
    std::fill(sum.begin(), sum.end(), 0);
    for (int64_t k = 0; k < ky; ++k) add_blocks(in.row(y * ky + k), kx, sum);
    std::transform(sum.begin(), sum.end(), out.row(y), mean);
  }
}

//   line = sum over columns of a * in,  out = rne(sum over rows of b * line), in float and in this order
void resize_general_area(const Image& in, Image& out) {
  const AxisTaps<float> columns = area_taps(in.width(), out.width());
  const AxisTaps<float> rows = area_taps(in.height(), out.height());
  const auto samples = static_cast<size_t>(out.row_bytes());
  std::vector<float> source(static_cast<size_t>(in.row_bytes()));
  std::vector<float> line(samples);
  std::vector<float> sum(samples);
  int64_t line_row = -1;  // neighbouring outputs share a source row
  for (int64_t y = 0; y < out.height(); ++y) {
    const int64_t first = rows.first[static_cast<size_t>(y)];
    for (int64_t j = 0; j < rows.count[static_cast<size_t>(y)]; ++j) {
      if (line_row != first + j) {
        line_row = first + j;
        std::copy_n(in.row(line_row), in.row_bytes(), source.begin());
        average_columns(source, columns, line.data());
      }
      const float b = rows.weight(y)[j];
      if (j == 0)
        for (size_t i = 0; i < samples; ++i) sum[i] = b * line[i];
      else
        for (size_t i = 0; i < samples; ++i) sum[i] += b * line[i];
    }
    uint8_t* to = out.row(y);
    for (size_t i = 0; i < samples; ++i) to[i] = clamp_to_byte(round_even(sum[i]));
  }
}

}  // namespace ramet
