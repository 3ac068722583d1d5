#include "ops/product_finish.h"

#include "ops/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/product_finish_cpu.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "ops/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ramet::ops::HWY_NAMESPACE {
namespace {

struct Identity {
  HWY_INLINE VecF32 operator()(VecF32 x) const { return x; }
};
struct GeluTanh {
  HWY_INLINE VecF32 operator()(VecF32 x) const { return gelu_tanh(x); }
};
struct GeluErf {
  HWY_INLINE VecF32 operator()(VecF32 x) const { return gelu_erf(x); }
};
struct Silu {
  HWY_INLINE VecF32 operator()(VecF32 x) const { return silu(x); }
};
struct Relu {
  HWY_INLINE VecF32 operator()(VecF32 x) const { return relu(x); }
};

template <class F>
void finish_rows(const ProductFinish& p, F f) {
  for (int64_t r = 0; r < p.rows; ++r)
    for (int64_t c = 0; c < p.columns; c += kF32Lanes) {
      const int64_t count = p.columns - c;
      VecF32 y = hn::LoadU(F32(), p.sums + r * p.sums_stride + c);
      if (p.bias != nullptr) y = y + load(p.bias + c, count);
      y = f(y);
      if (p.gated != nullptr) {
        VecF32 gated = hn::LoadU(F32(), p.gated + r * p.sums_stride + c);
        if (p.gated_bias != nullptr) gated = gated + load(p.gated_bias + c, count);
        y = y * gated;
      }
      if (p.residual != nullptr) y = y + load(p.residual + r * p.residual_stride + c, count);
      store(y, p.y + r * p.y_stride + c, count);
    }
}

}  // namespace

void finish_product(const ProductFinish& p) {
  if (!p.f) return finish_rows(p, Identity{});
  switch (*p.f) {
    case Activation::Kind::gelu_tanh: return finish_rows(p, GeluTanh{});
    case Activation::Kind::gelu_erf: return finish_rows(p, GeluErf{});
    case Activation::Kind::silu: return finish_rows(p, Silu{});
    case Activation::Kind::relu: return finish_rows(p, Relu{});
  }
}

}  // namespace ramet::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ramet::ops {

FinishProduct finish_product(Isa isa) { return RAMET_FOR_ISA(isa, finish_product); }

}  // namespace ramet::ops
#endif
