#include "ops/norm.h"
#include "ops/operand.h"

#include <cmath>

namespace ramet::ops {
namespace {

double mean_of_squares(std::span<const float> x, double center) {
  double sum = 0;
  for (const float value : x) sum += (value - center) * (value - center);
  return sum / static_cast<double>(x.size());
}

double mean_of(std::span<const float> x) {
  double sum = 0;
  for (const float value : x) sum += value;
  return sum / static_cast<double>(x.size());
}

// Calls store(y row, i, (x[r,i] - mean) / sqrt(var + eps)) for every element.
template <class Store>
void for_each_normalized(Stream& stream, ConstView x, float eps, View y, const Store& store) {
  const size_t width = static_cast<size_t>(x.shape().cols());
  for_each_row(stream, x.shape(), [&](int64_t r) {
    const std::span<const float> row(row_of<float>(x, r), width);
    const double mean = mean_of(row);
    const double inverse = 1.0 / std::sqrt(mean_of_squares(row, mean) + static_cast<double>(eps));
    for (size_t i = 0; i < width; ++i) store(row_of(y, r), i, static_cast<float>((row[i] - mean) * inverse));
  });
}

}  // namespace

void LayerNorm::reference(Stream& stream, Operands in, View y) const {
  if (in.size() == 1)
    return for_each_normalized(stream, in[0], eps, y, [](float* out, size_t i, float value) { out[i] = value; });
  const float* gamma = in[1].data<float>();
  const float* beta = in[2].data<float>();
  for_each_normalized(stream, in[0], eps, y,
                      [=](float* out, size_t i, float value) { out[i] = value * gamma[i] + beta[i]; });
}

void AdaLayerNorm::reference(Stream& stream, Operands in, View y) const {
  const float* scale = in[1].data<float>();
  const float* shift = in[2].data<float>();
  for_each_normalized(stream, in[0], eps, y,
                      [=](float* out, size_t i, float value) { out[i] = value * (1.0F + scale[i]) + shift[i]; });
}

void RmsNorm::reference(Stream& stream, Operands in, View y) const {
  const size_t width = static_cast<size_t>(in[0].shape().cols());
  const float* gamma = in[1].data<float>();
  for_each_row(stream, in[0].shape(), [&](int64_t r) {
    const std::span<const float> row(row_of<float>(in[0], r), width);
    const double inverse = 1.0 / std::sqrt(mean_of_squares(row, 0.0) + static_cast<double>(eps));
    float* out = row_of(y, r);
    for (size_t i = 0; i < width; ++i) out[i] = static_cast<float>(row[i] * inverse) * gamma[i];
  });
}

}  // namespace ramet::ops
