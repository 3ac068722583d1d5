// Vectors of float32 over rows of any width, and the functions of activations on them. No include guard in the usual
// sense: Highway includes it once for each target.
//
// exp: x = n ln 2 + r, a polynomial of degree 6 in r, times 2^n; within 2e-7 relative of the exact value for
// -87 <= x <= 88, and held there outside; NaN stays NaN. erf is formula 7.1.26 of Abramowitz and Stegun, within 1.5e-7.
#if defined(RAMET_OPS_SIMD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef RAMET_OPS_SIMD_INL_H_
#undef RAMET_OPS_SIMD_INL_H_
#else
#define RAMET_OPS_SIMD_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace ramet::ops::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using F32 = hn::ScalableTag<float>;
using VecF32 = hn::Vec<F32>;
constexpr int64_t kF32Lanes = hn::MaxLanes(F32());

// `count` lanes at least 1; those beyond it are zero, and are not stored.
HWY_INLINE VecF32 load(const float* from, int64_t count) {
  if (count >= kF32Lanes) return hn::LoadU(F32(), from);
  return hn::MaskedLoad(hn::FirstN(F32(), static_cast<size_t>(count)), F32(), from);
}
HWY_INLINE void store(VecF32 v, float* to, int64_t count) {
  if (count >= kF32Lanes) return hn::StoreU(v, F32(), to);
  hn::BlendedStore(v, hn::FirstN(F32(), static_cast<size_t>(count)), F32(), to);
}
HWY_INLINE VecF32 constant(double value) { return hn::Set(F32(), static_cast<float>(value)); }
HWY_INLINE float sum_of(VecF32 v) { return hn::GetLane(hn::SumOfLanes(F32(), v)); }

HWY_INLINE VecF32 exp(VecF32 x) {
  const hn::RebindToSigned<F32> integers;
  x = hn::Max(constant(-87), hn::Min(constant(88), x));  // in this order NaN stays NaN
  const VecF32 n = hn::Round(x * constant(1.4426950408889634));
  VecF32 r = hn::NegMulAdd(n, constant(0.693359375), x);
  r = hn::NegMulAdd(n, constant(-2.12194440e-4), r);
  VecF32 p = constant(1.0 / 720);
  for (const double c : {1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1.0, 1.0}) p = hn::MulAdd(p, r, constant(c));
  const auto exponent = hn::ShiftLeft<23>(hn::ConvertTo(integers, n));
  return hn::BitCast(F32(), hn::BitCast(integers, p) + exponent);
}

HWY_INLINE VecF32 sigmoid(VecF32 x) { return constant(1) / (constant(1) + exp(hn::Neg(x))); }

HWY_INLINE VecF32 silu(VecF32 x) { return x * sigmoid(x); }

// 0.5 x (1 + tanh(u)) = x sigmoid(2 u)
HWY_INLINE VecF32 gelu_tanh(VecF32 x) {
  const VecF32 scale = constant(2 * 0.7978845608028654);
  return x * sigmoid(scale * x * hn::MulAdd(constant(0.044715) * x, x, constant(1)));
}

HWY_INLINE VecF32 gelu_erf(VecF32 x) {
  const VecF32 a = hn::Abs(x) * constant(0.7071067811865476);
  const VecF32 t = constant(1) / hn::MulAdd(constant(0.3275911), a, constant(1));
  VecF32 p = constant(1.061405429);
  for (const double c : {-1.453152027, 1.421413741, -0.284496736, 0.254829592}) p = hn::MulAdd(p, t, constant(c));
  const VecF32 erf = hn::NegMulAdd(p * t, exp(hn::Neg(a * a)), constant(1));
  return constant(0.5) * x * (constant(1) + hn::CopySign(erf, x));
}

HWY_INLINE VecF32 relu(VecF32 x) { return hn::Max(hn::Zero(F32()), x); }

}  // namespace ramet::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // RAMET_OPS_SIMD_INL_H_
