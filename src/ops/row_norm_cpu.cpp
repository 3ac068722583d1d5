#include "ops/row_norm.h"

#include <cmath>

#include "ops/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/row_norm_cpu.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "ops/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ramet::ops::HWY_NAMESPACE {
namespace {

constexpr int64_t kUnroll = 4;  // sums in flight

float row_mean(const float* x, int64_t width) {
  VecF32 sums[kUnroll];
  for (VecF32& sum : sums) sum = hn::Zero(F32());
  for (int64_t i = 0; i < width; i += kF32Lanes) {
    VecF32& sum = sums[i / kF32Lanes % kUnroll];
    sum = sum + load(x + i, width - i);
  }
  return sum_of((sums[0] + sums[1]) + (sums[2] + sums[3])) / static_cast<float>(width);
}

float mean_of_squares(const float* x, int64_t width, float center) {
  const VecF32 shift = hn::Set(F32(), center);
  VecF32 sums[kUnroll];
  for (VecF32& sum : sums) sum = hn::Zero(F32());
  for (int64_t i = 0; i < width; i += kF32Lanes) {
    const VecF32 centred = load(x + i, width - i) - shift;
    const VecF32 value = width - i >= kF32Lanes
                             ? centred
                             : hn::IfThenElseZero(hn::FirstN(F32(), static_cast<size_t>(width - i)), centred);
    VecF32& sum = sums[i / kF32Lanes % kUnroll];
    sum = hn::MulAdd(value, value, sum);
  }
  return sum_of((sums[0] + sums[1]) + (sums[2] + sums[3])) / static_cast<float>(width);
}

VecF32 affine(const RowNorm& norm, VecF32 y, int64_t i, int64_t count) {
  if (norm.scale == nullptr) return norm.shift == nullptr ? y : y + load(norm.shift + i, count);
  VecF32 gain = load(norm.scale + i, count);
  if (norm.one_plus_scale) gain = gain + constant(1);
  return norm.shift == nullptr ? y * gain : hn::MulAdd(y, gain, load(norm.shift + i, count));
}

}  // namespace

void normalize_row(const RowNorm& norm, const float* x, int64_t width, float* y) {
  const float mean = norm.kind == RowNorm::Kind::layer ? row_mean(x, width) : 0.0F;
  const float inverse = 1.0F / std::sqrt(mean_of_squares(x, width, mean) + norm.eps);
  const VecF32 shift = hn::Set(F32(), mean), factor = hn::Set(F32(), inverse);
  for (int64_t i = 0; i < width; i += kF32Lanes)
    store(affine(norm, (load(x + i, width - i) - shift) * factor, i, width - i), y + i, width - i);
}

}  // namespace ramet::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ramet::ops {

NormalizeRow normalize_row(Isa isa) { return RAMET_FOR_ISA(isa, normalize_row); }

}  // namespace ramet::ops
#endif
