#include "weights/synth_fill.h"

#include "tensor/dtype.h"

#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weights/synth_fill.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// Plain loops: compilers vectorise them well once they may use the instructions.
HWY_BEFORE_NAMESPACE();
namespace ramet {
namespace HWY_NAMESPACE {

template <bool kSpiky>
HWY_INLINE float value(const SynthFormula& f, uint64_t index) {
  const uint64_t z = mix64(f.key + (index + 1) * kSynthStep);
  const float x = static_cast<float>(static_cast<int32_t>(z >> 40)) * 0x1p-23F - 1.0F;
  const float v = f.centre + f.amplitude * x;
  return kSpiky && (z & 0xFFU) == 0 ? v * 8.0F : v;
}

void fill_f32(const SynthFormula& f, uint64_t first, float* HWY_RESTRICT out, size_t count) {
  if (f.spiky)
    for (size_t i = 0; i < count; ++i) out[i] = value<true>(f, first + i);
  else
    for (size_t i = 0; i < count; ++i) out[i] = value<false>(f, first + i);
}

void fill_bf16(const SynthFormula& f, uint64_t first, uint16_t* HWY_RESTRICT out, size_t count) {
  if (f.spiky)
    for (size_t i = 0; i < count; ++i) out[i] = f32_to_bf16(value<true>(f, first + i));
  else
    for (size_t i = 0; i < count; ++i) out[i] = f32_to_bf16(value<false>(f, first + i));
}

}  // namespace HWY_NAMESPACE
}  // namespace ramet
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ramet {

HWY_EXPORT(fill_f32);
HWY_EXPORT(fill_bf16);

void synth_fill_f32(const SynthFormula& formula, uint64_t first, std::span<float> out) {
  HWY_DYNAMIC_DISPATCH(fill_f32)(formula, first, out.data(), out.size());
}

void synth_fill_bf16(const SynthFormula& formula, uint64_t first, std::span<uint16_t> out) {
  HWY_DYNAMIC_DISPATCH(fill_bf16)(formula, first, out.data(), out.size());
}

}  // namespace ramet
#endif  // HWY_ONCE
