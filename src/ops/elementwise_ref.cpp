#include "ops/elementwise.h"
#include "ops/operand.h"

#include <cmath>
#include <numbers>

namespace ramet::ops {
namespace {

float gelu_tanh(float x) {
  constexpr float kScale = std::numbers::sqrt2_v<float> * std::numbers::inv_sqrtpi_v<float>;
  return 0.5F * x * (1.0F + std::tanh(kScale * (x + 0.044715F * x * x * x)));
}
float gelu_erf(float x) { return 0.5F * x * (1.0F + std::erf(x / std::numbers::sqrt2_v<float>)); }
float silu(float x) { return x / (1.0F + std::exp(-x)); }
float relu(float x) { return x < 0.0F ? 0.0F : x; }

template <class F>
void map(Stream& stream, ConstView x, View y, F f) {
  const int64_t cols = y.shape().cols();
  for_each_row(stream, y.shape(), [&](int64_t r) {
    const float* in = row_of<float>(x, r);
    float* out = row_of(y, r);
    for (int64_t c = 0; c < cols; ++c) out[c] = f(in[c]);
  });
}

template <class F>
void map(Stream& stream, ConstView a, ConstView b, View y, F f) {
  const int64_t cols = y.shape().cols();
  for_each_row(stream, y.shape(), [&](int64_t r) {
    const float* left = row_of<float>(a, r);
    const float* right = row_of<float>(b, r);
    float* out = row_of(y, r);
    for (int64_t c = 0; c < cols; ++c) out[c] = f(left[c], right[c]);
  });
}

}  // namespace

void Activation::reference(Stream& stream, Operands in, View y) const {
  switch (kind) {
    case Kind::gelu_tanh: return map(stream, in[0], y, gelu_tanh);
    case Kind::gelu_erf: return map(stream, in[0], y, gelu_erf);
    case Kind::silu: return map(stream, in[0], y, silu);
    case Kind::relu: return map(stream, in[0], y, relu);
  }
}

void Binary::reference(Stream& stream, Operands in, View y) const {
  switch (kind) {
    case Kind::add: return map(stream, in[0], in[1], y, [](float a, float b) { return a + b; });
    case Kind::multiply: return map(stream, in[0], in[1], y, [](float a, float b) { return a * b; });
  }
}

void AddScaled::reference(Stream& stream, Operands in, View y) const {
  map(stream, in[0], in[1], y, [scale = alpha](float a, float b) { return a + scale * b; });
}

void Widen::reference(Stream& stream, Operands in, View y) const {
  const size_t cols = static_cast<size_t>(y.shape().cols());
  for_each_row(stream, y.shape(), [&](int64_t r) { widen_row(in[0], r, 0, {row_of(y, r), cols}); });
}

}  // namespace ramet::ops
