// Pillow and torchvision: filters with integer weights, one pass an axis.
#include "policy/image/resample_kernels.h"

#include <array>
#include <cmath>

namespace ramet {
namespace {

constexpr int kPillowBits = 22;
constexpr int kMaxTorchBits = 22;
constexpr double kInt16Limit = 1 << 15;

double bilinear(double x) {
  x = std::abs(x);
  return x < 1 ? 1 - x : 0;
}

// Keys' cubic with a = -0.5.
double bicubic(double x) {
  x = std::abs(x);
  if (x < 1) return (1.5 * x - 2.5) * x * x + 1;
  if (x < 2) return (((x - 5) * x + 8) * x - 4) * -0.5;
  return 0;
}

//   scale = n / N    stretch = max(scale, 1)    centre = (i + 0.5) scale    support = R stretch
//   w[j]  = K((j - centre + 0.5) / stretch), normalised to sum 1, for the j inside centre -+ support
AxisTaps<double> filter_taps(int64_t n, int64_t outputs, FilterKernel kernel) {
  const auto k = kernel == FilterKernel::bicubic ? bicubic : bilinear;
  const double radius = kernel == FilterKernel::bicubic ? 2 : 1;
  const double scale = static_cast<double>(n) / static_cast<double>(outputs);
  const double stretch = std::max(scale, 1.0);
  const double support = radius * stretch;
  const double inverse_stretch = 1 / stretch;
  AxisTaps<double> taps(outputs, static_cast<int64_t>(std::ceil(support)) * 2 + 1);
  for (int64_t i = 0; i < outputs; ++i) {
    const double centre = (static_cast<double>(i) + 0.5) * scale;
    const int64_t low = std::max<int64_t>(static_cast<int64_t>(centre - support + 0.5), 0);
    const int64_t high = std::min<int64_t>(static_cast<int64_t>(centre + support + 0.5), n);
    double* w = taps.weight(i);
    double sum = 0;
    for (int64_t j = low; j < high; ++j)
      sum += w[j - low] = k((static_cast<double>(j) - centre + 0.5) * inverse_stretch);
    for (int64_t j = 0; j < high - low; ++j) w[j] /= sum;
    taps.first[static_cast<size_t>(i)] = low;
    taps.count[static_cast<size_t>(i)] = high - low;
  }
  return taps;
}

int fraction_bits(const AxisTaps<double>& taps, WeightBits bits) {
  if (bits == WeightBits::pillow) return kPillowBits;
  const double largest = *std::max_element(taps.weights.begin(), taps.weights.end());
  int q = 0;
  while (q < kMaxTorchBits && std::floor(0.5 + std::ldexp(largest, q + 1)) < kInt16Limit) ++q;
  return q;
}

struct AxisFilter {
  AxisTaps<int32_t> taps;
  int q;  // weights are in units of 2^-q
};

// Half away from zero, as both libraries round.
AxisFilter make_filter(int64_t n, int64_t outputs, FilterKernel kernel, WeightBits bits) {
  const AxisTaps<double> exact = filter_taps(n, outputs, kernel);
  AxisFilter filter{{outputs, exact.stride}, fraction_bits(exact, bits)};
  filter.taps.first = exact.first;
  filter.taps.count = exact.count;
  std::transform(exact.weights.begin(), exact.weights.end(), filter.taps.weights.begin(),
                 [&](double w) { return static_cast<int32_t>(std::ldexp(w, filter.q) + (w < 0 ? -0.5 : 0.5)); });
  return filter;
}

//   out = clamp((2^(q-1) + sum_j W[j] in[j]) >> q)
void filter_columns(const Image& in, const AxisFilter& filter, Image& out) {
  const int q = filter.q;
  const int32_t half = 1 << (q - 1);
  for (int64_t y = 0; y < out.height(); ++y) {
    const uint8_t* const row = in.row(y);
    uint8_t* to = out.row(y);
    for (int64_t x = 0; x < filter.taps.outputs(); ++x, to += 3) {
      const uint8_t* from = row + 3 * filter.taps.first[static_cast<size_t>(x)];
      const int32_t* w = filter.taps.weight(x);
      const int64_t count = filter.taps.count[static_cast<size_t>(x)];
      int32_t r = half;
      int32_t g = half;
      int32_t b = half;
      for (int64_t j = 0; j < count; ++j, from += 3) {
        r += w[j] * from[0];
        g += w[j] * from[1];
        b += w[j] * from[2];
      }
      to[0] = clamp_to_byte(r >> q);
      to[1] = clamp_to_byte(g >> q);
      to[2] = clamp_to_byte(b >> q);
    }
  }
}

// `from`: the first of `count` rows, `stride` bytes apart. kBlock samples at a time, so that their sums stay in
// registers.
template <int64_t kBlock>
void filter_block(const uint8_t* from, int64_t stride, const int32_t* w, int64_t count, int q, uint8_t* to) {
  std::array<int32_t, kBlock> sum;
  sum.fill(1 << (q - 1));
  for (int64_t j = 0; j < count; ++j, from += stride)
    for (size_t i = 0; i < kBlock; ++i) sum[i] += w[j] * from[i];
  for (size_t i = 0; i < kBlock; ++i) to[i] = clamp_to_byte(sum[i] >> q);
}

void filter_rows(const Image& in, const AxisFilter& filter, Image& out) {
  constexpr int64_t kBlock = 32;
  const int64_t bytes = out.row_bytes();
  for (int64_t y = 0; y < out.height(); ++y) {
    const uint8_t* from = in.row(filter.taps.first[static_cast<size_t>(y)]);
    const int32_t* w = filter.taps.weight(y);
    const int64_t count = filter.taps.count[static_cast<size_t>(y)];
    uint8_t* to = out.row(y);
    int64_t i = 0;
    for (; i + kBlock <= bytes; i += kBlock) filter_block<kBlock>(from + i, bytes, w, count, filter.q, to + i);
    for (; i < bytes; ++i) filter_block<1>(from + i, bytes, w, count, filter.q, to + i);
  }
}

}  // namespace

Status resize_separable(const Image& in, FilterKernel kernel, WeightBits bits, PassOrder order, Image& out) {
  const auto columns = [&] { return make_filter(in.width(), out.width(), kernel, bits); };
  const auto rows = [&] { return make_filter(in.height(), out.height(), kernel, bits); };
  if (in.height() == out.height()) {
    filter_columns(in, columns(), out);
  } else if (in.width() == out.width()) {
    filter_rows(in, rows(), out);
  } else if (order == PassOrder::width_first) {
    RAMET_TRY(Image narrow, Image::make({in.height(), out.width()}));
    filter_columns(in, columns(), narrow);
    filter_rows(narrow, rows(), out);
  } else {
    RAMET_TRY(Image low, Image::make({out.height(), in.width()}));
    filter_rows(in, rows(), low);
    filter_columns(low, columns(), out);
  }
  return {};
}

}  // namespace ramet
