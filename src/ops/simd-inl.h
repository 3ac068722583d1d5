// Vectors of float32 over rows of any width, and the functions of activations on them. No include guard in the usual
// sense: Highway includes it once for each target.
//
// exp: x = n ln 2 + r, a polynomial of degree 5 in r (minimax, 8e-8), times 2^n; within 2e-7 relative of the exact
// value for -87 <= x <= 88, and held there outside; NaN stays NaN. erf is formula 7.1.26 of Abramowitz and Stegun,
// within 1.5e-7.
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

// bf16 in the upper halves: to nearest, ties to even. NaN keeps its upper bits, one of them set, so that it stays NaN.
using U32 = hn::RebindToUnsigned<F32>;
using VecU32 = hn::Vec<U32>;
HWY_INLINE VecU32 round_to_upper(VecF32 x) {
  const VecU32 bits = hn::BitCast(U32(), x);
  const VecU32 odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(U32(), 1));
  const VecU32 rounded = bits + (odd + hn::Set(U32(), 0x7FFF));
  const VecU32 nan = hn::Or(bits, hn::Set(U32(), 0x400000));
  return hn::And(hn::IfThenElse(hn::RebindMask(U32(), hn::IsNaN(x)), nan, rounded), hn::Set(U32(), 0xFFFF0000U));
}
HWY_INLINE void store_upper(VecU32 upper, uint16_t* to) {
  const hn::Rebind<uint16_t, F32> half;
  hn::StoreU(hn::DemoteTo(half, hn::BitCast(hn::RebindToSigned<F32>(), hn::ShiftRight<16>(upper))), half, to);
}
HWY_INLINE void store_bf16(VecF32 v, uint16_t* to) { store_upper(round_to_upper(v), to); }

// Two vectors side by side. `kNative`: by the instruction of AVX-512 BF16, to which denormal numbers are zero.
template <bool kNative>
HWY_INLINE void store_bf16(VecF32 low, VecF32 high, uint16_t* to) {
#if HWY_TARGET <= HWY_AVX3
  if constexpr (kNative) {
    const hn::Repartition<uint16_t, F32> halves;
    hn::Vec<decltype(halves)> both;
    asm("vcvtne2ps2bf16 %2, %1, %0" : "=v"(both.raw) : "v"(high.raw), "v"(low.raw));
    return hn::StoreU(both, halves, to);
  }
#endif
  store_bf16(low, to);
  store_bf16(high, to + kF32Lanes);
}

HWY_INLINE VecF32 exp(VecF32 x) {
  const hn::RebindToSigned<F32> integers;
  x = hn::Max(constant(-87), hn::Min(constant(88), x));  // in this order NaN stays NaN
  const VecF32 whole = constant(12582912);               // 1.5 * 2^23: a sum with it is a whole number
  const VecF32 shifted = hn::MulAdd(x, constant(1.4426950408889634), whole);
  const VecF32 n = shifted - whole;
  VecF32 r = hn::NegMulAdd(n, constant(0.693359375), x);
  r = hn::NegMulAdd(n, constant(-2.12194440e-4), r);
  VecF32 p = constant(8.297654990e-03);
  for (const double c : {4.191538199e-02, 1.666757473e-01, 4.999889485e-01, 9.999996920e-01, 1.000000072e+00})
    p = hn::MulAdd(p, r, constant(c));
  const auto exponent = hn::ShiftLeft<23>(hn::BitCast(integers, shifted));
  return hn::BitCast(F32(), hn::BitCast(integers, p) + exponent);
}

// 2^x within 8e-5 for x <= 127, for results that are rounded to bf16 or 8 bits; held at -126. NaN stays NaN.
HWY_INLINE VecF32 coarse_exp2(VecF32 x) {
  const hn::RebindToSigned<F32> integers;
  x = hn::Max(constant(-126), x);
  const VecF32 whole = constant(12582912);
  const VecF32 shifted = x + whole;
  const VecF32 r = x - (shifted - whole);
  VecF32 p = constant(5.517166769e-02);
  for (const double c : {2.426111221e-01, 6.932609857e-01, 9.999280736e-01}) p = hn::MulAdd(p, r, constant(c));
  return hn::BitCast(F32(), hn::BitCast(integers, p) + hn::ShiftLeft<23>(hn::BitCast(integers, shifted)));
}

// 1 / x. The quotient takes as long as sixteen other operations with vectors of 64 bytes, whose estimate has 14 bits.
HWY_INLINE VecF32 coarse_reciprocal(VecF32 x) {
#if HWY_TARGET <= HWY_AVX3
  return hn::ApproximateReciprocal(x);
#else
  return constant(1) / x;
#endif
}
HWY_INLINE VecF32 reciprocal(VecF32 x) {
#if HWY_TARGET <= HWY_AVX3
  const VecF32 y = coarse_reciprocal(x);
  return y * hn::NegMulAdd(x, y, constant(2));
#else
  return constant(1) / x;
#endif
}

// The activations; `kCoarse`: within 2e-4, for results that are rounded to bf16 or 8 bits.
//
// 1 / (1 + e^-(factor x)), never denormal: arithmetic with those is a hundred times as slow.
template <bool kCoarse>
HWY_INLINE VecF32 sigmoid(VecF32 x, double factor) {
  if constexpr (kCoarse)
    return coarse_reciprocal(constant(1) +
                             coarse_exp2(hn::Min(constant(126), x * constant(-factor * 1.4426950408889634))));
  else
    return reciprocal(constant(1) + exp(hn::Min(constant(87), x * constant(-factor))));
}

template <bool kCoarse>
HWY_INLINE VecF32 silu(VecF32 x) {
  return x * sigmoid<kCoarse>(x, 1);
}

// 0.5 x (1 + tanh(u)) = x sigmoid(2 u)
template <bool kCoarse>
HWY_INLINE VecF32 gelu_tanh(VecF32 x) {
  return x * sigmoid<kCoarse>(x * hn::MulAdd(constant(0.044715) * x, x, constant(1)), 2 * 0.7978845608028654);
}

template <bool kCoarse>
HWY_INLINE VecF32 gelu_erf(VecF32 x) {
  const VecF32 a = hn::Abs(x) * constant(0.7071067811865476);
  const VecF32 d = hn::MulAdd(constant(0.3275911), a, constant(1));
  const VecF32 t = kCoarse ? coarse_reciprocal(d) : reciprocal(d);
  VecF32 p = constant(1.061405429);
  for (const double c : {-1.453152027, 1.421413741, -0.284496736, 0.254829592}) p = hn::MulAdd(p, t, constant(c));
  const VecF32 square = a * a;
  const VecF32 bell = kCoarse ? coarse_exp2(square * constant(-1.4426950408889634)) : exp(hn::Neg(square));
  const VecF32 erf = hn::NegMulAdd(p * t, bell, constant(1));
  return constant(0.5) * x * (constant(1) + hn::CopySign(erf, x));
}

HWY_INLINE VecF32 relu(VecF32 x) { return hn::Max(hn::Zero(F32()), x); }

}  // namespace ramet::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // RAMET_OPS_SIMD_INL_H_
