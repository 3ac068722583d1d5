// The product kernels on tiles of Intel AMX, for given tile instructions.
#pragma once

#include "ops/product_amx_multiply.h"
#include "ops/product_amx_pack.h"
#include "ops/product_kernel.h"

#include <type_traits>

namespace ramet::ops::amx {

inline int64_t no_scratch(int64_t) { return 0; }
inline bool always(const CpuFeatures&) { return true; }

template <class Format, class Tiles>
constexpr ProductKernel kernel(std::string_view name, Precision precision, DType weights) {
  ProductKernel k{};
  k.name = name, k.isa = Tiles::kIsa, k.precision = precision, k.weights = weights, k.runs_on = always;
  k.tile_rows = kTileRows, k.panel_columns = kColumns, k.blocking = blocking<Format>;
  if constexpr (Format::kPlanes == 1) k.lines_bytes = Layout<Bf16>::tile_bytes;
  if constexpr (std::is_same_v<Format, Bf16>) k.pack_panel_rows = pack_panel_rows<Tiles>;
  if constexpr (std::is_same_v<Format, Int8>) k.pack_lines = pack_lines<Tiles>;
  k.tile_bytes = Layout<Format>::tile_bytes, k.panel_bytes = Layout<Format>::panel_bytes, k.scratch_bytes = no_scratch;
  k.pack_panel = pack_panel<Format, Tiles>, k.pack_tile = pack_tile<Format, Tiles>,
  k.multiply = multiply<Format, Tiles>, k.multiply_for = multiply_for<Format, Tiles>;
  return k;
}

template <class Tiles>
inline constexpr ProductKernel kBf16 = kernel<Bf16, Tiles>("amx.bf16", Precision::bf16, DType::bf16);
template <class Tiles>
inline constexpr ProductKernel kInt8 = kernel<Int8, Tiles>("amx.int8", Precision::int8, DType::i8);
template <class Tiles>
inline constexpr ProductKernel kFp32 = kernel<Halves, Tiles>("amx.fp32", Precision::fp32, DType::f32);

}  // namespace ramet::ops::amx
