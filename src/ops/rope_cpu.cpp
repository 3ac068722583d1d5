#include "ops/operand.h"
#include "ops/rope.h"

#include "ops/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/rope_cpu.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "ops/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ramet::ops::HWY_NAMESPACE {

void turn(const float* x, const float* cos, const float* sin, int64_t half, float* y) {
  for (int64_t j = 0; j < half; j += kF32Lanes) {
    const int64_t count = half - j;
    const VecF32 a = load(x + j, count), b = load(x + half + j, count);
    const VecF32 c = load(cos + j, count), s = load(sin + j, count);
    store(a * c - b * s, y + j, count);
    store(b * c + a * s, y + half + j, count);
  }
}

}  // namespace ramet::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ramet::ops {

void Rope::run(Stream& stream, Operands in, View y) const {
  const int64_t heads = y.shape()[1];
  const auto turn_row = RAMET_FOR_ISA(stream.isa, turn);
  for_each_row(stream, y.shape(), [&](int64_t r) {
    const int64_t token = r / heads;
    turn_row(row_of<float>(in[0], r), in[1].row<float>(token), in[2].row<float>(token), y.shape()[2] / 2, row_of(y, r));
  });
}

}  // namespace ramet::ops
#endif
