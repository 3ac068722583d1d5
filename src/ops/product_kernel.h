// How one instruction set multiplies rows with packed weights: what a product (product.h) is built from.
//
//   sums[p][r][c] = sum over k of rows[r][k] * weights[p * panel_columns + c][k]
//
// Rows are packed into tiles of `tile_rows`, weights into panels of `panel_columns` columns of the result; what stands
// inside a tile or a panel is the kernel's own affair. Missing rows and columns of the last ones are zeros,
// but missing rows of lines that serve as tiles are anything.
// The order of the sum over k depends on depth and kernel alone: not on the number of rows, panels or threads.
#pragma once

#include "device/isa.h"
#include "tensor/dtype.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace ramet::ops {

// What a product may round, beside its sums in float32 (int32 for int8).
//   fp32  nothing: weights and rows are multiplied as they are; or 2^-15 of each product at most (amx.fp32)
//   bf16  weights to bf16, and rows to bf16 where the kernel multiplies bf16
//   int8  weights to 8 bits with a scale per column of the result, rows to 8 bits or more with a scale per row (on amx
//         to bf16 first, as rows that come in lines already are)
enum class Precision { fp32, bf16, int8 };

std::string_view name(Precision precision);

struct ProductBlock {
  const std::byte* tiles;
  int64_t num_tiles;
  const std::byte* panels;  // one after the other
  int64_t num_panels;
  int64_t depth;  // values of k
};

// Takes sums of rows of the block as soon as they are complete: sums [rows, panel_columns].
struct TakeSums {
  void (*call)(const void* context, int64_t panel, int64_t first_row, int64_t rows, const float* sums);
  const void* context;
};

// How a product is cut: one call of multiply gets a chunk of tiles times a strip of panels.
struct Blocking {
  int64_t chunk_tiles;
  int64_t strip_panels;
  bool chunks_stay;  // rows stay near while all panels pass by; else a strip of panels does while rows pass by
};

constexpr int64_t kMaxTileRows = 64;

struct ProductKernel {
  std::string_view name;  // "avx2.bf16"
  Isa isa;
  Precision precision;
  DType weights;                            // what the packed weights are stored as
  bool exact_rows;                          // rows are multiplied as they are
  bool (*runs_on)(const CpuFeatures& cpu);  // beside having `isa`
  int64_t tile_rows;                        // kMaxTileRows at most
  int64_t panel_columns;
  Blocking (*blocking)(int64_t tiles, int64_t depth);
  int64_t (*tile_bytes)(int64_t depth);
  int64_t (*panel_bytes)(int64_t depth);
  int64_t (*scratch_bytes)(int64_t depth);  // of multiply

  void (*pack_panel)(std::span<const float* const> columns, int64_t depth, std::byte* panel);
  // The same panel of `columns` columns from rows of k, `stride` floats apart. Null: only columns can be packed.
  void (*pack_panel_rows)(const float* rows, int64_t stride, int64_t columns, int64_t depth, std::byte* panel);
  void (*pack_tile)(std::span<const float* const> rows, int64_t depth, std::byte* tile);

  // Who makes rows may write them rounded to bf16, as blocks of lines: [depth / 32][16 rows][64 bytes], the last line
  // filled up with zeros, blocks lines_bytes(depth) apart. Null: this kernel does not take them.
  int64_t (*lines_bytes)(int64_t depth);
  void (*pack_lines)(const std::byte* lines, int64_t rows, int64_t depth, std::byte* tile);  // null: lines are tiles
  bool tiles_are_lines() const { return lines_bytes != nullptr && pack_lines == nullptr; }

  // sums [num_panels, num_tiles * tile_rows, panel_columns]; scratch and sums are 64-byte aligned.
  void (*multiply)(const ProductBlock& block, std::byte* scratch, float* sums);
  // The same, but hands sums over while it goes on; `sums` is then memory to work with. Null: multiply does.
  void (*multiply_for)(const ProductBlock& block, float* sums, const TakeSums& take);

  // Whether weights of `dtype` at `wanted` are computed as promised.
  bool serves(Precision wanted, DType dtype) const;
};

// Multiplies and hands all sums over; what `sums` holds afterwards is not said.
void multiply_for(const ProductKernel& kernel, const ProductBlock& block, std::byte* scratch, float* sums,
                  const TakeSums& take);

// A blocking for kernels whose panels stay in the first cache: strips of panels, past which chunks of rows go.
Blocking block_by_strips(int64_t tiles, int64_t tile_rows, int64_t strip_panels);

// All that are compiled in, the best first.
std::span<const ProductKernel* const> product_kernels();

// The best kernel for weights of `dtype` that this machine has and that is no better than `limit`.
const ProductKernel& choose_product_kernel(Precision precision, DType dtype, Isa limit);

}  // namespace ramet::ops
