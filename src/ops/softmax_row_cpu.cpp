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

}  // namespace

float softmax_row(const ScoreRow& row, float* p) {
  VecF32 top = constant(std::numeric_limits<float>::lowest());
  for_each_vector(row, Largest{top});
  VecF32 sum = hn::Zero(F32());
  for_each_vector(row, Exponential{sum, hn::MaxOfLanes(F32(), top), hn::Set(F32(), row.scale), p});
  std::fill(p + row.visible, p + row.keys, 0.0F);
  return sum_of(sum);
}

}  // namespace ramet::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ramet::ops {

SoftmaxRow softmax_row(Isa isa) { return RAMET_FOR_ISA(isa, softmax_row); }

}  // namespace ramet::ops
#endif
