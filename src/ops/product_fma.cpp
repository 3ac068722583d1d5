#include "ops/product_fma.h"

#include "ops/int8_scale.h"
#include "ops/product_lines.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "ops/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/product_fma.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

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

struct Names {
  std::string_view fp32, bf16, int8;
  Isa isa;
};
#if HWY_TARGET == HWY_AVX3
constexpr Names kNames{"avx512.fp32", "avx512.fma.bf16", "avx512.madd.int8", Isa::avx512};
#elif HWY_TARGET == HWY_AVX2
constexpr Names kNames{"avx2.fp32", "avx2.bf16", "avx2.int8", Isa::avx2};
#else
constexpr Names kNames{"scalar.fp32", "scalar.bf16", "scalar.int8", Isa::scalar};
#endif

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
constexpr int64_t round_up(int64_t bytes) { return (bytes + 63) / 64 * 64; }

constexpr int64_t kRowScales = 64;  // bytes before the values of an int8 tile

template <class Weights>
constexpr int64_t tile_header() {
  return Weights::kHeader > 0 ? kRowScales : 0;
}
template <class Weights>
int64_t tile_bytes(int64_t depth) {
  return tile_header<Weights>() + round_up(steps_of<Weights>(depth) * kTileRows *
                                           static_cast<int64_t>(sizeof(typename Weights::Steps::RowValue)));
}
template <class Weights>
int64_t panel_bytes(int64_t depth) {
  return Weights::kHeader +
         round_up(steps_of<Weights>(depth) * kColumns * static_cast<int64_t>(sizeof(typename Weights::Stored)));
}
int64_t scratch_bytes(int64_t) { return kDepthBlock * kColumns * static_cast<int64_t>(sizeof(float)); }

template <class Weights>
struct Multiplication {
  using Steps = typename Weights::Steps;
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
          multiply_piece(p, step, step + kDepthBlock < steps ? weights(p, step + kDepthBlock) : weights(p + 1, 0));
    } else {
      for (int64_t step = 0; step < steps; step += kDepthBlock)
        for (int64_t p = 0; p < block.num_panels; ++p)
          multiply_piece(p, step, p + 1 < block.num_panels ? weights(p + 1, step) : weights(0, step + kDepthBlock));
    }
  }

  const std::byte* weights(int64_t p, int64_t step) const {
    return block.panels + p * panel_stride + Weights::kHeader +
           step * kColumns * static_cast<int64_t>(sizeof(typename Weights::Stored));
  }

  // Meanwhile every tile fetches its share of the `next` piece.
  void multiply_piece(int64_t p, int64_t step, const std::byte* next) const {
    const int64_t count = std::min(kDepthBlock, steps - step);
    const int64_t bytes = count * kColumns * static_cast<int64_t>(sizeof(typename Weights::Stored));
    const auto* stored = reinterpret_cast<const typename Weights::Stored*>(weights(p, step));
    float* out = sums + p * block.num_tiles * kTileRows * kColumns;
    for (int64_t t = 0; t < block.num_tiles; ++t, out += kTileRows * kColumns) {
      prefetch_share(next, bytes, t, block.num_tiles);
      const auto* rows =
          reinterpret_cast<const typename Steps::RowValue*>(block.tiles + t * tile_stride + tile_header<Weights>());
      (step == 0 ? add<true> : add<false>)(rows + step * kTileRows, stored, scratch, count, out, t == 0);
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

// put(row, k) for all, a cache line of every row at a time: rows that are far apart share few sets of the cache.
template <class Put>
void for_each_by_lines(size_t rows, int64_t depth, const Put& put) {
  constexpr int64_t kLine = 16;  // floats
  for (int64_t line = 0; line < depth; line += kLine)
    for (size_t r = 0; r < rows; ++r)
      for (int64_t k = line; k < std::min(depth, line + kLine); ++k) put(r, k);
}

void pack_tile_f32(std::span<const float* const> rows, int64_t depth, std::byte* tile) {
  auto* out = reinterpret_cast<float*>(tile);
  if (rows.size() < kTileRows) std::fill_n(out, depth * kTileRows, 0.0F);
  for_each_by_lines(rows.size(), depth,
                    [&](size_t r, int64_t k) { out[k * kTileRows + static_cast<int64_t>(r)] = rows[r][k]; });
}

void pack_panel_f32(std::span<const float* const> columns, int64_t depth, std::byte* panel) {
  auto* out = reinterpret_cast<float*>(panel);
  std::fill_n(panel, panel_bytes<F32Weights>(depth), std::byte{0});
  for_each_by_lines(columns.size(), depth,
                    [&](size_t c, int64_t k) { out[k * kColumns + static_cast<int64_t>(c)] = columns[c][k]; });
}

void pack_panel_bf16(std::span<const float* const> columns, int64_t depth, std::byte* panel) {
  auto* out = reinterpret_cast<uint16_t*>(panel);
  std::fill_n(panel, panel_bytes<Bf16Weights>(depth), std::byte{0});
  for_each_by_lines(columns.size(), depth, [&](size_t c, int64_t k) {
    out[k * kColumns + static_cast<int64_t>(c)] = f32_to_bf16(columns[c][k]);
  });
}

int round_to(float value, float top) {
  if (std::isnan(value)) return 0;
  return static_cast<int>(std::clamp(std::nearbyint(value), -top, top));
}

// Pairs of round(x * inverse), kTileRows pairs apart. What is not finite gives any integers: its scale is NaN.
void round_row(const float* x, int64_t depth, float inverse, int16_t* out) {
  constexpr int64_t kPiece = 16;
  HWY_ALIGN int32_t rounded[kPiece];
  const auto factor = hn::Set(kF32, inverse);
  for (int64_t begin = 0; begin < depth; begin += kPiece) {
    HWY_ALIGN float piece[kPiece] = {};
    const int64_t count = std::min(kPiece, depth - begin);
    std::copy_n(x + begin, count, piece);
    for (int64_t i = 0; i < kPiece; i += kLanes)
      hn::Store(hn::NearestInt(hn::Load(kF32, piece + i) * factor), kI32, rounded + i);
    for (int64_t i = 0; i < count; ++i) out[(begin + i) / 2 * 2 * kTileRows + i % 2] = static_cast<int16_t>(rounded[i]);
  }
}

void pack_tile_int8(std::span<const float* const> rows, int64_t depth, std::byte* tile) {
  auto* scales = reinterpret_cast<float*>(tile);
  auto* out = reinterpret_cast<int16_t*>(tile + kRowScales);
  std::fill_n(tile, tile_bytes<Int8Weights>(depth), std::byte{0});
  const float top = row_top(depth, std::numeric_limits<int16_t>::max());
  for (size_t r = 0; r < rows.size(); ++r) {
    scales[r] = scale_for(line_kernels(kNames.isa).largest(rows[r], depth), top);
    round_row(rows[r], depth, 1.0F / scales[r], out + 2 * r);
  }
}

void pack_panel_int8(std::span<const float* const> columns, int64_t depth, std::byte* panel) {
  auto* scales = reinterpret_cast<float*>(panel);
  auto* out = reinterpret_cast<int8_t*>(panel + Int8Weights::kHeader);
  std::fill_n(panel, panel_bytes<Int8Weights>(depth), std::byte{0});
  for (size_t c = 0; c < columns.size(); ++c)
    scales[c] = scale_for(line_kernels(kNames.isa).largest(columns[c], depth), kInt8Top);
  for_each_by_lines(columns.size(), depth, [&](size_t c, int64_t k) {
    out[(k / 2 * kColumns + static_cast<int64_t>(c)) * 2 + k % 2] =
        static_cast<int8_t>(round_to(columns[c][k] / scales[c], kInt8Top));
  });
}

bool always(const CpuFeatures&) { return true; }

template <class Weights>
constexpr ProductKernel kernel(std::string_view name, Precision precision, DType weights) {
  ProductKernel k{};
  k.name = name, k.isa = kNames.isa, k.precision = precision, k.weights = weights, k.runs_on = always;
  k.tile_rows = kTileRows, k.panel_columns = kColumns;
  k.blocking = [](int64_t tiles, int64_t) { return block_by_strips(tiles, kTileRows, kStripPanels); };
  k.tile_bytes = tile_bytes<Weights>, k.panel_bytes = panel_bytes<Weights>, k.scratch_bytes = scratch_bytes;
  return k;
}

constexpr ProductKernel make_fp32() {
  ProductKernel k = kernel<F32Weights>(kNames.fp32, Precision::fp32, DType::f32);
  k.pack_panel = pack_panel_f32, k.pack_tile = pack_tile_f32, k.multiply = multiply<F32Weights>;
  k.exact_rows = true;
  return k;
}
constexpr ProductKernel make_bf16() {
  ProductKernel k = kernel<Bf16Weights>(kNames.bf16, Precision::bf16, DType::bf16);
  k.pack_panel = pack_panel_bf16, k.pack_tile = pack_tile_f32, k.multiply = multiply<Bf16Weights>;
  k.exact_rows = true;
  return k;
}
constexpr ProductKernel make_int8() {
  ProductKernel k = kernel<Int8Weights>(kNames.int8, Precision::int8, DType::i8);
  k.pack_panel = pack_panel_int8, k.pack_tile = pack_tile_int8, k.multiply = multiply_int8;
  return k;
}

constexpr ProductKernel kFp32 = make_fp32(), kBf16 = make_bf16(), kInt8 = make_int8();

}  // namespace

std::array<const ProductKernel*, 3> kernels() { return {&kInt8, &kBf16, &kFp32}; }

}  // namespace ramet::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ramet::ops {

std::span<const ProductKernel* const> vector_product_kernels() {
  static const std::vector<const ProductKernel*> all = [] {
    std::vector<const ProductKernel*> list;
    for (const Isa isa : {Isa::avx512, Isa::avx2, Isa::scalar})
      for (const ProductKernel* kernel : RAMET_FOR_ISA(isa, kernels()))
        if (kernel->isa == isa) list.push_back(kernel);
    return list;
  }();
  return all;
}

}  // namespace ramet::ops
#endif
