// How the product kernels on tiles of Intel AMX store rows and weights; product_amx.h tells what they round.
//
// A tile of the processor is 16 rows of 64 bytes, and a step of k what one multiplication consumes:
//
//   rows     [scales][step][plane][16 rows][64 bytes]
//   weights  [scales][step][plane][columns 0-15, 16-31][16 groups of k][16 columns][4 bytes of k]
//
// A step is 32 values of bf16 or 64 bytes; plane: one, but for float32 the high and the low halves; scales: int8 only.
#pragma once

#include "ops/operand.h"
#include "ops/product_lines.h"

namespace ramet::ops::amx {

constexpr int64_t kTileRows = 16, kColumns = 32;
constexpr int64_t kTile = 1024;            // bytes of a tile of the processor
constexpr int64_t kPieceBytes = 32 << 10;  // of weights, which stay in the first-level cache

struct Bf16 {
  static constexpr int64_t kValues = 32, kPlanes = 1, kTileHeader = 0, kPanelHeader = 0;

  static void round(const LineKernels& lines, const float* x, int64_t count, float, Lines out) {
    lines.bf16(x, count, out);
  }
  template <int kSum, int kA, int kB, class Tiles>
  static void multiply(Tiles& tiles) {
    tiles.template multiply_bf16<kSum, kA, kB>();
  }
};

struct Halves {
  static constexpr int64_t kValues = 32, kPlanes = 2, kTileHeader = 0, kPanelHeader = 0;

  static void round(const LineKernels& lines, const float* x, int64_t count, float, Lines out) {
    lines.bf16_halves(x, count, out, {out.first + kTile, out.stride});
  }
  template <int kSum, int kA, int kB, class Tiles>
  static void multiply(Tiles& tiles) {
    tiles.template multiply_bf16<kSum, kA, kB>();
  }
};

struct Int8 {
  static constexpr int64_t kValues = 64, kPlanes = 1, kTileHeader = 64, kPanelHeader = 128;

  // Weights as they are; rows through bf16, as those that come in lines.
  static void round(const LineKernels& lines, const float* x, int64_t count, float inverse, Lines out) {
    lines.int8(x, count, inverse, false, out);
  }
  static void round_row(const LineKernels& lines, const float* x, int64_t count, float inverse, Lines out) {
    lines.int8_of_rounded(x, count, inverse, out);
  }
  template <int kSum, int kA, int kB, class Tiles>
  static void multiply(Tiles& tiles) {
    tiles.template multiply_int8<kSum, kA, kB>();
  }
};

template <class Format>
struct Layout {
  static constexpr int64_t kTileStep = Format::kPlanes * kTile;  // bytes
  static constexpr int64_t kPanelStep = 2 * kTileStep;
  static constexpr int64_t kPieceSteps = kPieceBytes / kPanelStep;

  static int64_t steps(int64_t depth) { return div_up(depth, Format::kValues); }
  // Slices of deep tiles must not all fall into the same sets of the second-level cache, whose ways are 128 KiB.
  static int64_t spread(int64_t bytes) {
    constexpr int64_t kSlice = 32 << 10;
    const int64_t slices = div_up(bytes, kSlice);
    return slices > 2 ? (slices | 1) * kSlice : bytes;
  }
  static int64_t tile_bytes(int64_t depth) { return Format::kTileHeader + spread(steps(depth) * kTileStep); }
  static int64_t panel_bytes(int64_t depth) { return Format::kPanelHeader + steps(depth) * kPanelStep; }
};

}  // namespace ramet::ops::amx
