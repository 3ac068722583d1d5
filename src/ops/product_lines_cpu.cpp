#include "ops/product_lines.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/product_lines_cpu.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "ops/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ramet::ops::HWY_NAMESPACE {
namespace {

constexpr F32 kF32;
constexpr hn::RebindToSigned<F32> kI32;
constexpr hn::Rebind<int8_t, F32> kQuarter;
constexpr int64_t kLanes = kF32Lanes;

// Calls body(values, line) for every line; the values of the last one are followed by zeros.
template <int64_t kValues, class Body>
HWY_INLINE void for_each_line(const float* x, int64_t count, const Body& body) {
  int64_t line = 0;
  for (; (line + 1) * kValues <= count; ++line) body(x + line * kValues, line);
  if (line * kValues == count) return;
  HWY_ALIGN float rest[kValues] = {};
  std::copy(x + line * kValues, x + count, rest);
  body(rest, line);
}

HWY_INLINE uint16_t* line_at(Lines lines, int64_t line) {
  return reinterpret_cast<uint16_t*>(lines.first + line * lines.stride);
}

template <bool kNative>
struct RoundBf16 {
  Lines lines;
  HWY_INLINE void operator()(const float* x, int64_t line) const {
    for (int64_t i = 0; i < 32; i += 2 * kLanes)
      store_bf16<kNative>(hn::LoadU(kF32, x + i), hn::LoadU(kF32, x + i + kLanes), line_at(lines, line) + i);
  }
};

struct RoundHalves {
  Lines high, low;
  HWY_INLINE void operator()(const float* x, int64_t line) const {
    const auto infinity = hn::Set(kF32, std::numeric_limits<float>::infinity());
    for (int64_t i = 0; i < 32; i += kLanes) {
      const VecF32 value = hn::LoadU(kF32, x + i);
      const VecU32 upper = round_to_upper(value);
      const VecF32 rounded = hn::BitCast(kF32, upper);
      const VecF32 rest = hn::IfThenElseZero(hn::Lt(hn::Abs(rounded), infinity), hn::Sub(value, rounded));
      store_upper(upper, line_at(high, line) + i);
      store_bf16(rest, line_at(low, line) + i);
    }
  }
};

// round(x * inverse), with the sign bit flipped where bytes are unsigned.
HWY_INLINE void store_int8(VecF32 x, float inverse, int8_t flip, int8_t* to) {
  const auto rounded = hn::NearestInt(x * hn::Set(kF32, inverse));
  hn::StoreU(hn::Xor(hn::DemoteTo(kQuarter, rounded), hn::Set(kQuarter, flip)), kQuarter, to);
}

template <bool kThroughBf16>
struct RoundInt8 {
  float inverse;
  int8_t flip;
  Lines lines;
  HWY_INLINE void operator()(const float* x, int64_t line) const {
    auto* out = reinterpret_cast<int8_t*>(lines.first + line * lines.stride);
    for (int64_t i = 0; i < 64; i += kLanes) {
      const VecF32 value = hn::LoadU(kF32, x + i);
      store_int8(kThroughBf16 ? hn::BitCast(kF32, round_to_upper(value)) : value, inverse, flip, out + i);
    }
  }
};

template <bool kNative>
void bf16(const float* x, int64_t count, Lines lines) {
  for_each_line<32>(x, count, RoundBf16<kNative>{lines});
}

void bf16_halves(const float* x, int64_t count, Lines high, Lines low) {
  for_each_line<32>(x, count, RoundHalves{high, low});
}

void int8(const float* x, int64_t count, float inverse, bool is_unsigned, Lines lines) {
  for_each_line<64>(x, count, RoundInt8<false>{inverse, static_cast<int8_t>(is_unsigned ? -128 : 0), lines});
}

void int8_of_rounded(const float* x, int64_t count, float inverse, Lines lines) {
  for_each_line<64>(x, count, RoundInt8<true>{inverse, 0, lines});
}

HWY_INLINE VecF32 widened(ConstLines lines, int64_t value) {
  const hn::Rebind<uint16_t, F32> half;
  const auto bits =
      hn::LoadU(half, reinterpret_cast<const uint16_t*>(lines.first + value / 32 * lines.stride) + value % 32);
  return hn::BitCast(kF32, hn::ShiftLeft<16>(hn::PromoteTo(U32(), bits)));
}

// The lines are filled up with zeros; so is the last one written.
void int8_of_lines(ConstLines x, int64_t count, float inverse, Lines lines) {
  const int64_t end = (count + 31) / 32 * 32;
  for (int64_t i = 0; i < end; i += kLanes)
    store_int8(widened(x, i), inverse, 0, reinterpret_cast<int8_t*>(lines.first + i / 64 * lines.stride) + i % 64);
  if (end % 64 != 0) std::fill_n(lines.first + end / 64 * lines.stride + 32, 32, std::byte{0});
}

float largest_of_lines(ConstLines x, int64_t count) {
  VecF32 top = hn::Zero(kF32), nothing = hn::Zero(kF32);
  for (int64_t i = 0; i < count; i += kLanes) {
    const VecF32 value = widened(x, i);
    top = hn::Max(top, hn::Abs(value));
    nothing = hn::MulAdd(value, hn::Zero(kF32), nothing);
  }
  return hn::GetLane(hn::MaxOfLanes(kF32, top)) + hn::GetLane(hn::SumOfLanes(kF32, nothing));
}

float largest(const float* x, int64_t count) {
  VecF32 top = hn::Zero(kF32), nothing = hn::Zero(kF32);
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const VecF32 value = hn::LoadU(kF32, x + i);
    top = hn::Max(top, hn::Abs(value));
    nothing = hn::MulAdd(value, hn::Zero(kF32), nothing);
  }
  float result = hn::GetLane(hn::MaxOfLanes(kF32, top));
  float zero = hn::GetLane(hn::SumOfLanes(kF32, nothing));
  for (; i < count; ++i) {
    result = std::max(result, std::abs(x[i]));
    zero += x[i] * 0.0F;
  }
  return result + zero;
}

// Four lines' worth of four groups, which every vector of 16 bytes can turn.
HWY_INLINE void transpose_block(const uint32_t* from, uint32_t* to, int64_t to_stride) {
  constexpr int64_t kRow = kLineBytes / 4;
#if HWY_TARGET == HWY_SCALAR
  for (int64_t i = 0; i < 4; ++i)
    for (int64_t j = 0; j < 4; ++j) to[j * to_stride + i] = from[i * kRow + j];
#else
  const hn::Full128<uint32_t> d;
  const hn::Full128<uint64_t> pairs;
  const auto r0 = hn::LoadU(d, from), r1 = hn::LoadU(d, from + kRow);
  const auto r2 = hn::LoadU(d, from + 2 * kRow), r3 = hn::LoadU(d, from + 3 * kRow);
  const auto low_01 = hn::BitCast(pairs, hn::InterleaveLower(d, r0, r1));
  const auto low_23 = hn::BitCast(pairs, hn::InterleaveLower(d, r2, r3));
  const auto high_01 = hn::BitCast(pairs, hn::InterleaveUpper(d, r0, r1));
  const auto high_23 = hn::BitCast(pairs, hn::InterleaveUpper(d, r2, r3));
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, low_01, low_23)), d, to);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, low_01, low_23)), d, to + to_stride);
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, high_01, high_23)), d, to + 2 * to_stride);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, high_01, high_23)), d, to + 3 * to_stride);
#endif
}

void transpose(const std::byte* lines, Lines turned) {
  const auto* from = reinterpret_cast<const uint32_t*>(lines);
  auto* to = reinterpret_cast<uint32_t*>(turned.first);
  const int64_t stride = turned.stride / 4;
  for (int64_t i = 0; i < 16; i += 4)
    for (int64_t j = 0; j < 16; j += 4) transpose_block(from + i * 16 + j, to + j * stride + i, stride);
}

void scale(const IntegerSums& s) {
  float* sums = s.sums;
  for (int64_t r = 0; r < s.rows; ++r, sums += s.columns)
    for (int64_t c = 0; c < s.columns; c += kLanes) {
      auto exact = hn::LoadU(kI32, reinterpret_cast<const int32_t*>(sums + c));
      if (s.offsets != nullptr) exact = hn::Sub(exact, hn::LoadU(kI32, s.offsets + c));
      const VecF32 scaled = hn::Mul(hn::ConvertTo(kF32, exact), hn::Set(kF32, s.row_scales[r]));
      hn::StoreU(hn::Mul(scaled, hn::LoadU(kF32, s.column_scales + c)), kF32, sums + c);
    }
}

void pair(const float* even, const float* odd, int64_t count, std::byte* line) {
  auto* out = reinterpret_cast<uint32_t*>(line);
  for (int64_t i = 0; i < 16; i += kLanes) {
    const int64_t left = count - i;
    const auto at = [&](const float* x) { return x == nullptr || left <= 0 ? hn::Zero(kF32) : load(x + i, left); };
    const VecU32 high = round_to_upper(at(odd)), low = hn::ShiftRight<16>(round_to_upper(at(even)));
    hn::StoreU(hn::Or(high, low), U32(), out + i);
  }
}

void times(const float* x, float factor, int64_t count, float* y) {
  const VecF32 f = hn::Set(kF32, factor);
  for (int64_t i = 0; i < count; i += kLanes) store(load(x + i, count - i) * f, y + i, count - i);
}

void times_bf16(const float* x, float factor, int64_t count, std::byte* y) {
  const VecF32 f = hn::Set(kF32, factor);
  auto* out = reinterpret_cast<uint16_t*>(y);
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) store_bf16(hn::LoadU(kF32, x + i) * f, out + i);
  if (i == count) return;
  uint16_t rest[kLanes];
  store_bf16(load(x + i, count - i) * f, rest);
  std::copy_n(rest, count - i, out + i);
}

template <bool kNative>
constexpr LineKernels kKernels{
    bf16<kNative>, bf16_halves, int8, int8_of_rounded, int8_of_lines, largest_of_lines, largest,
    transpose,     scale,       pair, times,           times_bf16};

}  // namespace

const LineKernels& line_kernels(bool native) { return native ? kKernels<true> : kKernels<false>; }

}  // namespace ramet::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ramet::ops {

const LineKernels& line_kernels(Isa isa) { return RAMET_FOR_ISA(isa, line_kernels(isa == Isa::amx)); }

}  // namespace ramet::ops
#endif
