#include "ops/softmax_row.h"

#include <algorithm>
#include <limits>

#include "ops/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/softmax_row_cpu.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "ops/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ramet::ops::HWY_NAMESPACE {
namespace {

constexpr int64_t kPerLine = 32;  // keys of a panel, and values of a line

// Calls body(scores, first key, count) for pieces of at most one vector.
template <class Body>
HWY_INLINE void for_each_vector(const ScoreRow& row, const Body& body) {
  for (int64_t begin = 0; begin < row.visible; begin += row.panel_columns) {
    const float* panel = row.scores + begin / row.panel_columns * row.panel_stride;
    const int64_t columns = std::min(row.panel_columns, row.visible - begin);
    for (int64_t c = 0; c < columns; c += kF32Lanes) body(panel + c, begin + c, columns - c);
  }
}

struct Largest {
  VecF32& top;
  HWY_INLINE void operator()(const float* scores, int64_t, int64_t count) const {
    const VecF32 score = hn::LoadU(F32(), scores);
    if (count >= kF32Lanes)
      top = hn::Max(top, score);
    else
      top = hn::IfThenElse(hn::FirstN(F32(), static_cast<size_t>(count)), hn::Max(top, score), top);
  }
};

struct Exponential {
  VecF32& sum;
  VecF32 max, scale;
  float* p;
  HWY_INLINE void operator()(const float* scores, int64_t first, int64_t count) const {
    VecF32 value = exp((hn::LoadU(F32(), scores) - max) * scale);
    if (count < kF32Lanes) value = hn::IfThenElseZero(hn::FirstN(F32(), static_cast<size_t>(count)), value);
    sum = sum + value;
    store(value, p + first, count);
  }
};

VecF32 largest(const ScoreRow& row) {
  VecF32 top = constant(std::numeric_limits<float>::lowest());
  for_each_vector(row, Largest{top});
  return hn::MaxOfLanes(F32(), top);
}

// 2^(factor score - top) of 32 keys and their sum. Keys that are not there are zeros.
struct Powers {
  VecF32 factor, top;
  VecF32 sum = hn::Zero(F32());

  HWY_INLINE VecF32 at(const float* scores, int64_t count) {
    VecF32 value = coarse_exp2(hn::MulSub(hn::LoadU(F32(), scores), factor, top));
    if (count < kF32Lanes)
      value = hn::IfThenElseZero(hn::FirstN(F32(), static_cast<size_t>(std::max<int64_t>(count, 0))), value);
    sum = sum + value;
    return value;
  }
};

template <bool kNative>
float softmax_lines_with(const ScoreRow& row, Lines p) {
  const double log2_e = 1.4426950408889634;
  const VecF32 factor = constant(log2_e * row.scale);
  Powers powers{factor, largest(row) * factor};
  std::byte* line = p.first;
  for (int64_t first = 0; first < row.keys; first += kPerLine, line += p.stride) {
    const int64_t count = row.visible - first;
    if (count <= 0) {
      std::fill_n(line, kLineBytes, std::byte{0});
      continue;
    }
    const float* scores = row.scores + first / kPerLine * row.panel_stride;
    for (int64_t c = 0; c < kPerLine; c += 2 * kF32Lanes)
      store_bf16<kNative>(powers.at(scores + c, count - c), powers.at(scores + c + kF32Lanes, count - c - kF32Lanes),
                          reinterpret_cast<uint16_t*>(line) + c);
  }
  return sum_of(powers.sum);
}

}  // namespace

float softmax_row(const ScoreRow& row, float* p) {
  VecF32 sum = hn::Zero(F32());
  for_each_vector(row, Exponential{sum, largest(row), hn::Set(F32(), row.scale), p});
  std::fill(p + row.visible, p + row.keys, 0.0F);
  return sum_of(sum);
}

SoftmaxLines softmax_lines(bool native) { return native ? softmax_lines_with<true> : softmax_lines_with<false>; }

}  // namespace ramet::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ramet::ops {

SoftmaxRow softmax_row(Isa isa) { return RAMET_FOR_ISA(isa, softmax_row); }
SoftmaxLines softmax_lines(Isa isa) { return RAMET_FOR_ISA(isa, softmax_lines(isa == Isa::amx)); }

}  // namespace ramet::ops
#endif
