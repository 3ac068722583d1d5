// The multiplications of product_fma.h: formats of rows and weights, tiles of sums, and the walk over a block. No
// include guard in the usual sense: Highway includes it once for each target.
//
//   rows     [scales][step][6 rows]           a step: one float, or a pair of 16-bit integers
//   weights  [scales][step][kColumns]         of one float32, bf16, or a pair of 8-bit integers; scales: int8 only
#if defined(RAMET_OPS_PRODUCT_FMA_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef RAMET_OPS_PRODUCT_FMA_INL_H_
#undef RAMET_OPS_PRODUCT_FMA_INL_H_
#else
#define RAMET_OPS_PRODUCT_FMA_INL_H_
#endif

#include "ops/operand.h"
#include "ops/product_kernel.h"

#include <hwy/highway.h>

#include <algorithm>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace ramet::ops::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

constexpr hn::ScalableTag<float> kF32;
constexpr hn::ScalableTag<int32_t> kI32;
constexpr hn::ScalableTag<int16_t> kI16;
constexpr hn::Rebind<hwy::bfloat16_t, decltype(kF32)> kHalfBf16;
constexpr hn::Rebind<int8_t, decltype(kI16)> kHalfI8;
constexpr int64_t kLanes = hn::MaxLanes(kF32);

// 24 or 12 sums, the weights of one k and one value of a row fill the 32 or 16 registers.
constexpr int kTileRows = 6;
constexpr int kVectors = kLanes == 16 ? 4 : 2;
constexpr int64_t kColumns = kVectors * kLanes;
constexpr int64_t kStripPanels = 64 / kColumns > 0 ? 64 / kColumns : 1;
constexpr int64_t kDepthBlock = kLanes == 16 ? 128 : 256;  // widened weights of a block stay in the first-level cache
constexpr int64_t kWholeTiles = 256 << 10;                 // bytes of tiles that stay in the second-level cache

// A step of k is what one multiply-add consumes: one float, or a pair of 16-bit integers.
struct FloatSteps {
  using Sum = hn::Vec<decltype(kF32)>;
  using RowValue = float;
  using Wide = float;  // a weight of one step, widened
  static constexpr int64_t kValues = 1;

  static HWY_INLINE Sum zero() { return hn::Zero(kF32); }
  static HWY_INLINE Sum load(const float* sums) { return hn::LoadU(kF32, sums); }
  static HWY_INLINE void store(Sum sum, float* sums) { hn::StoreU(sum, kF32, sums); }
  static HWY_INLINE hn::Vec<decltype(kF32)> weights(const Wide* w) { return hn::Load(kF32, w); }
  static HWY_INLINE hn::Vec<decltype(kF32)> broadcast(RowValue value) { return hn::Set(kF32, value); }
  static HWY_INLINE Sum multiply_add(Sum row, Sum w, Sum sum) { return hn::MulAdd(row, w, sum); }
};

// The sums are vectors of the compiler's own: g++ 12 keeps arrays of Highway's integer vectors in memory.
struct PairSteps {
  typedef int32_t Sum __attribute__((vector_size(kLanes * sizeof(int32_t)), may_alias));
  typedef int32_t RowValue __attribute__((may_alias));  // two 16-bit integers
  using Wide = RowValue;
  static constexpr int64_t kValues = 2;

  static HWY_INLINE Sum zero() { return Sum{}; }
  static HWY_INLINE Sum load(const void* from) {
    Sum sum;
    __builtin_memcpy(&sum, from, sizeof(sum));
    return sum;
  }
  static HWY_INLINE void store(Sum sum, float* sums) { __builtin_memcpy(sums, &sum, sizeof(sum)); }
  static HWY_INLINE Sum weights(const Wide* w) { return load(w); }
  static HWY_INLINE Sum broadcast(RowValue value) { return value - Sum{}; }
  static HWY_INLINE Sum multiply_add(Sum row, Sum w, Sum sum) {
#if HWY_TARGET == HWY_AVX2
    return sum + reinterpret_cast<Sum>(_mm256_madd_epi16(reinterpret_cast<__m256i>(row), reinterpret_cast<__m256i>(w)));
#elif HWY_TARGET == HWY_AVX3
    return sum + reinterpret_cast<Sum>(_mm512_madd_epi16(reinterpret_cast<__m512i>(row), reinterpret_cast<__m512i>(w)));
#else
    return sum + (row << 16 >> 16) * (w << 16 >> 16) + (row >> 16) * (w >> 16);
#endif
  }
};

// The share of tile `t` in fetching the next piece of weights: all at once would wait for the cache's miss buffers.
void prefetch_share(const std::byte* next, int64_t bytes, int64_t t, int64_t num_tiles) {
  const int64_t share = (bytes / 64 + num_tiles - 1) / num_tiles * 64;
  for (int64_t b = t * share; b < std::min(bytes, (t + 1) * share); b += 64) __builtin_prefetch(next + b, 0, 2);
}

// float32 weights are used where they lie.
struct F32Weights {
  using Steps = FloatSteps;
  using Stored = float;
  static constexpr int64_t kHeader = 0;
  static constexpr bool kIsWide = true;
};

struct Bf16Weights {
  using Steps = FloatSteps;
  using Stored = uint16_t;
  static constexpr int64_t kHeader = 0;
  static constexpr bool kIsWide = false;
  static HWY_INLINE void widen(const Stored* w, float* out) {
    hn::Store(hn::PromoteTo(kF32, hn::LoadU(kHalfBf16, reinterpret_cast<const hwy::bfloat16_t*>(w))), kF32, out);
  }
};

// [column scales][step][column][2]
struct Int8Weights {
  using Steps = PairSteps;
  using Stored = int16_t;  // a pair of bytes
  static constexpr int64_t kHeader = kColumns * static_cast<int64_t>(sizeof(float));
  static constexpr bool kIsWide = false;
  static HWY_INLINE void widen(const Stored* w, Steps::Wide* out) {
    const auto* bytes = reinterpret_cast<const int8_t*>(w);
    auto* wide = reinterpret_cast<int16_t*>(out);
    for (int64_t i = 0; i < 2 * kLanes; i += hn::MaxLanes(kI16))
      hn::Store(hn::PromoteTo(kI16, hn::LoadU(kHalfI8, bytes + i)), kI16, wide + i);
  }
};

template <class Weights, bool kWiden>
using WideWeights = std::conditional_t<kWiden, typename Weights::Steps::Wide*, const typename Weights::Steps::Wide*>;

// sums[r][c] (+)= sum over steps of rows[step][r] * w[step][c]; kWiden: w is made of `stored` meanwhile.
template <class Weights, bool kFirst, bool kWiden>
HWY_NOINLINE void tile(const typename Weights::Steps::RowValue* HWY_RESTRICT rows,
                       const typename Weights::Stored* HWY_RESTRICT stored, WideWeights<Weights, kWiden> w,
                       int64_t steps, float* HWY_RESTRICT sums) {
  using Steps = typename Weights::Steps;
  typename Steps::Sum sum[kTileRows][kVectors];
#pragma GCC unroll 8
  for (int r = 0; r < kTileRows; ++r)
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v)
      sum[r][v] = kFirst ? Steps::zero() : Steps::load(sums + r * kColumns + v * kLanes);
  for (int64_t step = 0; step < steps; ++step, rows += kTileRows, stored += kColumns, w += kColumns) {
    typename Steps::Sum weights[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      if constexpr (kWiden) Weights::widen(stored + v * kLanes, w + v * kLanes);
      weights[v] = Steps::weights(w + v * kLanes);
    }
#pragma GCC unroll 8
    for (int r = 0; r < kTileRows; ++r) {
      const auto row = Steps::broadcast(rows[r]);
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) sum[r][v] = Steps::multiply_add(row, weights[v], sum[r][v]);
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < kTileRows; ++r)
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) Steps::store(sum[r][v], sums + r * kColumns + v * kLanes);
}

template <class Weights>
int64_t steps_of(int64_t depth) {
  return (depth + Weights::Steps::kValues - 1) / Weights::Steps::kValues;
}

constexpr int64_t kRowScales = 64;  // bytes before the values of an int8 tile

template <class Weights>
constexpr int64_t tile_header() {
  return Weights::kHeader > 0 ? kRowScales : 0;
}
template <class Weights>
int64_t tile_bytes(int64_t depth) {
  return tile_header<Weights>() + aligned(steps_of<Weights>(depth) * kTileRows *
                                          static_cast<int64_t>(sizeof(typename Weights::Steps::RowValue)));
}
template <class Weights>
int64_t panel_bytes(int64_t depth) {
  return Weights::kHeader +
         aligned(steps_of<Weights>(depth) * kColumns * static_cast<int64_t>(sizeof(typename Weights::Stored)));
}
int64_t scratch_bytes(int64_t) { return kDepthBlock * kColumns * static_cast<int64_t>(sizeof(float)); }

template <class Weights>
struct Multiplication {
  using Steps = typename Weights::Steps;
  static constexpr int64_t kStepBytes = kColumns * static_cast<int64_t>(sizeof(typename Weights::Stored));
  const ProductBlock& block;
  std::byte* scratch;
  float* sums;

  int64_t steps = steps_of<Weights>(block.depth);
  int64_t tile_stride = tile_bytes<Weights>(block.depth);
  int64_t panel_stride = panel_bytes<Weights>(block.depth);

  // Panels that find all tiles in the second-level cache pass by as a whole; else blocks of k do.
  void run() const {
    if (block.num_tiles * tile_stride <= kWholeTiles) {
      for (int64_t p = 0; p < block.num_panels; ++p)
        for (int64_t step = 0; step < steps; step += kDepthBlock)
          multiply_piece({p, step}, step + kDepthBlock < steps ? Piece{p, step + kDepthBlock} : Piece{p + 1, 0});
    } else {
      for (int64_t step = 0; step < steps; step += kDepthBlock)
        for (int64_t p = 0; p < block.num_panels; ++p) multiply_piece({p, step}, next_by_blocks(p, step));
    }
  }

  // A block of k of one panel. Beyond the last panel stands what is multiplied next, as a rule.
  struct Piece {
    int64_t panel, step;
  };
  Piece next_by_blocks(int64_t p, int64_t step) const {
    if (p + 1 < block.num_panels) return {p + 1, step};
    return step + kDepthBlock < steps ? Piece{0, step + kDepthBlock} : Piece{block.num_panels, 0};
  }
  const std::byte* weights(Piece piece) const {
    return block.panels + piece.panel * panel_stride + Weights::kHeader + piece.step * kStepBytes;
  }
  int64_t count(Piece piece) const { return std::min(kDepthBlock, steps - piece.step); }

  // Meanwhile every tile fetches its share of the `next` piece.
  void multiply_piece(Piece piece, Piece next) const {
    const auto* stored = reinterpret_cast<const typename Weights::Stored*>(weights(piece));
    float* out = sums + piece.panel * block.num_tiles * kTileRows * kColumns;
    for (int64_t t = 0; t < block.num_tiles; ++t, out += kTileRows * kColumns) {
      prefetch_share(weights(next), count(next) * kStepBytes, t, block.num_tiles);
      const auto* rows =
          reinterpret_cast<const typename Steps::RowValue*>(block.tiles + t * tile_stride + tile_header<Weights>()) +
          piece.step * kTileRows;
      (piece.step == 0 ? add<true> : add<false>)(rows, stored, scratch, count(piece), out, t == 0);
    }
  }

  // The first tile widens the weights, the others find them in the first-level cache.
  template <bool kFirst>
  static void add(const typename Steps::RowValue* rows, const typename Weights::Stored* stored, std::byte* scratch,
                  int64_t count, float* sums, bool widen) {
    auto* wide = reinterpret_cast<typename Steps::Wide*>(scratch);
    if constexpr (Weights::kIsWide)
      tile<Weights, kFirst, false>(rows, stored, stored, count, sums);
    else if (widen)
      tile<Weights, kFirst, true>(rows, stored, wide, count, sums);
    else
      tile<Weights, kFirst, false>(rows, stored, wide, count, sums);
  }
};

template <class Weights>
void multiply(const ProductBlock& block, std::byte* scratch, float* sums) {
  Multiplication<Weights>{block, scratch, sums}.run();
}

// float32(sum) * row scale * column scale, in place
void scale_sums(const ProductBlock& block, float* sums) {
  const int64_t tile_stride = tile_bytes<Int8Weights>(block.depth);
  for (int64_t p = 0; p < block.num_panels; ++p) {
    const auto* columns = reinterpret_cast<const float*>(block.panels + p * panel_bytes<Int8Weights>(block.depth));
    for (int64_t t = 0; t < block.num_tiles; ++t) {
      const auto* rows = reinterpret_cast<const float*>(block.tiles + t * tile_stride);
      for (int r = 0; r < kTileRows; ++r, sums += kColumns)
        for (int64_t c = 0; c < kColumns; c += kLanes) {
          const auto exact = hn::ConvertTo(kF32, hn::LoadU(kI32, reinterpret_cast<const int32_t*>(sums + c)));
          hn::StoreU(exact * hn::Set(kF32, rows[r]) * hn::LoadU(kF32, columns + c), kF32, sums + c);
        }
    }
  }
}

void multiply_int8(const ProductBlock& block, std::byte* scratch, float* sums) {
  multiply<Int8Weights>(block, scratch, sums);
  scale_sums(block, sums);
}

}  // namespace
}  // namespace ramet::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
