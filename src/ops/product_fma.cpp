#include "ops/product_fma.h"

#include "ops/int8_scale.h"
#include "ops/product_lines.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "ops/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/product_fma.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "ops/product_fma-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ramet::ops::HWY_NAMESPACE {
namespace {

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
