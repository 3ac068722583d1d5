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

constexpr int64_t kPair = 2 * kF32Lanes;

struct Identity {
  HWY_INLINE VecF32 operator()(VecF32 x) const { return x; }
};
template <bool kCoarse>
struct GeluTanh {
  HWY_INLINE VecF32 operator()(VecF32 x) const { return gelu_tanh<kCoarse>(x); }
};
template <bool kCoarse>
struct GeluErf {
  HWY_INLINE VecF32 operator()(VecF32 x) const { return gelu_erf<kCoarse>(x); }
};
template <bool kCoarse>
struct Silu {
  HWY_INLINE VecF32 operator()(VecF32 x) const { return silu<kCoarse>(x); }
};
struct Relu {
  HWY_INLINE VecF32 operator()(VecF32 x) const { return relu(x); }
};

struct Floats {
  float* y;
  int64_t stride;

  HWY_INLINE void put(int64_t row, int64_t c, VecF32 low, VecF32 high) const {
    float* to = y + row * stride + c;
    hn::StoreU(low, F32(), to), hn::StoreU(high, F32(), to + kF32Lanes);
  }
  HWY_INLINE void put(int64_t row, int64_t c, VecF32 v, int64_t count) const { store(v, y + row * stride + c, count); }
  HWY_INLINE void close(int64_t, int64_t) const {}
};

template <bool kNative>
struct Lines {
  std::byte* tiles;
  int64_t stride;

  HWY_INLINE uint16_t* at(int64_t row, int64_t c) const {
    return reinterpret_cast<uint16_t*>(tiles + row / kLineRows * stride + row % kLineRows * kLineBytes) + c;
  }
  HWY_INLINE void put(int64_t row, int64_t c, VecF32 low, VecF32 high) const {
    store_bf16<kNative>(low, high, at(row, c));
  }
  // Columns beyond the last are zeros, as are their sums; `close` fills what no vector reached.
  HWY_INLINE void put(int64_t row, int64_t c, VecF32 v, int64_t) const { store_bf16(v, at(row, c)); }
  HWY_INLINE void close(int64_t row, int64_t c) const {
    for (; c % kLineValues != 0; c += kF32Lanes) store_bf16(hn::Zero(F32()), at(row, c));
  }
};

// `load_at(from, c)` loads columns c and on.
template <class F, class Load>
HWY_INLINE VecF32 value_at(const ProductFinish& p, const FinishedRows& rows, int64_t r, int64_t c, F f, Load load_at) {
  VecF32 y = hn::LoadU(F32(), rows.sums + r * rows.stride + c);
  if (p.bias != nullptr) y = y + load_at(p.bias, c);
  y = f(y);
  if (rows.gated != nullptr) {
    VecF32 gated = hn::LoadU(F32(), rows.gated + r * rows.stride + c);
    if (p.gated_bias != nullptr) gated = gated + load_at(p.gated_bias, c);
    y = y * gated;
  }
  if (p.residual != nullptr) y = y + load_at(p.residual + (rows.first + r) * p.residual_stride, c);
  return y;
}

template <class F, class To>
void finish_rows(const ProductFinish& p, const FinishedRows& rows, F f, To to) {
  const auto whole = [](const float* from, int64_t c) { return hn::LoadU(F32(), from + c); };
  const auto part = [&](const float* from, int64_t c) { return load(from + c, p.columns - c); };
  const int64_t in_pairs = p.columns / kPair * kPair;
  for (int64_t r = 0; r < rows.count; ++r) {
    for (int64_t c = 0; c < in_pairs; c += kPair)
      to.put(rows.first + r, c, value_at(p, rows, r, c, f, whole), value_at(p, rows, r, c + kF32Lanes, f, whole));
    int64_t c = in_pairs;
    for (; c < p.columns; c += kF32Lanes) to.put(rows.first + r, c, value_at(p, rows, r, c, f, part), p.columns - c);
    to.close(rows.first + r, c);
  }
}

template <bool kNative, class F>
void finish_with(const ProductFinish& p, const FinishedRows& rows, F f) {
  if (p.tiles != nullptr) return finish_rows(p, rows, f, Lines<kNative>{p.tiles, p.tile_stride});
  finish_rows(p, rows, f, Floats{p.y, p.y_stride});
}

template <bool kNative, bool kCoarse>
void finish_activated(const ProductFinish& p, const FinishedRows& rows) {
  switch (*p.f) {
    case Activation::Kind::gelu_tanh: return finish_with<kNative>(p, rows, GeluTanh<kCoarse>{});
    case Activation::Kind::gelu_erf: return finish_with<kNative>(p, rows, GeluErf<kCoarse>{});
    case Activation::Kind::silu: return finish_with<kNative>(p, rows, Silu<kCoarse>{});
    case Activation::Kind::relu: return finish_with<kNative>(p, rows, Relu{});
  }
}

template <bool kNative>
void finish(const ProductFinish& p, const FinishedRows& rows) {
  if (!p.f) return finish_with<kNative>(p, rows, Identity{});
  p.coarse ? finish_activated<kNative, true>(p, rows) : finish_activated<kNative, false>(p, rows);
}

}  // namespace

FinishProduct finish_product(bool native) { return native ? finish<true> : finish<false>; }

}  // namespace ramet::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ramet::ops {

FinishProduct finish_product(Isa isa) { return RAMET_FOR_ISA(isa, finish_product(isa == Isa::amx)); }

}  // namespace ramet::ops
#endif
