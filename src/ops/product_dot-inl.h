// Product kernels on vectors of sixteen dot products; product_dot.h tells what they round. Templates on the one
// instruction that matters, so that tests run everything else on any machine. Included once by a file, inside the
// target that its instructions need: everything is local to that file.
//
//   rows     [scales][6 rows][line][64 bytes]                     a line: 16 steps
//   weights  [scales and offsets][step][64 columns][4 bytes of k]
//
// A step is a pair of bf16 or four bytes; scales and offsets: int8 only.
#include "ops/int8_scale.h"
#include "ops/operand.h"
#include "ops/product_kernel.h"
#include "ops/product_lines.h"

#include <algorithm>
#include <cstring>

namespace ramet::ops {
namespace {

// Vectors of the compiler's own: g++ 12 keeps arrays of __m512i in memory.
typedef float Floats __attribute__((vector_size(64), may_alias));
typedef int32_t Integers __attribute__((vector_size(64), may_alias));

// 24 sums, the weights of one step and one value of a row fill 29 of 32 registers.
constexpr int kTileRows = 6, kVectors = 4;
constexpr int64_t kLanes = 16, kColumns = kVectors * kLanes;
constexpr int64_t kStepBytes = kColumns * 4;  // of weights
constexpr int64_t kStepLines = kStepBytes / kLineBytes;
constexpr int64_t kPieceSteps = 1024;  // 256 KiB of weights, which stay in the second-level cache

struct Bf16Format {
  using Sum = Floats;
  static constexpr int64_t kLineValues = 32, kTileHeader = 0, kPanelHeader = 0;

  static void round(const LineKernels& lines, const float* x, int64_t count, float, bool, Lines out) {
    lines.bf16(x, count, out);
  }
};

struct Int8Format {
  using Sum = Integers;
  static constexpr int64_t kLineValues = 64, kTileHeader = kLineBytes, kPanelHeader = 2 * kColumns * 4;

  static void round(const LineKernels& lines, const float* x, int64_t count, float inverse, bool is_row, Lines out) {
    lines.int8(x, count, inverse, is_row, out);
  }
};

template <class Format>
struct Layout {
  static int64_t lines(int64_t depth) { return div_up(depth, Format::kLineValues); }
  static int64_t steps(int64_t depth) { return lines(depth) * kLanes; }
  static int64_t row_bytes(int64_t depth) { return lines(depth) * kLineBytes; }
  static int64_t tile_bytes(int64_t depth) { return Format::kTileHeader + kTileRows * row_bytes(depth); }
  static int64_t panel_bytes(int64_t depth) { return Format::kPanelHeader + steps(depth) * kStepBytes; }
};

template <class Vector>
__attribute__((always_inline)) inline const Vector& load(const void* from) {
  return *static_cast<const Vector*>(from);
}

// sums[r][c] (+)= sum over steps of rows[r][step] . w[step][c]; meanwhile `fetch_lines` lines are fetched at each step.
template <class Dot, bool kFirst>
__attribute__((noinline)) void multiply_tile(const std::byte* __restrict rows, int64_t row_bytes,
                                             const std::byte* __restrict w, int64_t steps, float* __restrict sums,
                                             const std::byte* fetch, int64_t fetch_lines) {
  using Sum = typename Dot::Format::Sum;
  Sum sum[kTileRows][kVectors];
#pragma GCC unroll 8  // else g++ 12 fills and empties the registers by way of the stack
  for (int r = 0; r < kTileRows; ++r)
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) sum[r][v] = kFirst ? Sum{} : load<Sum>(sums + r * kColumns + v * kLanes);
  const std::byte* lower = rows + 3 * row_bytes;  // two bases reach six rows by one stride
  for (int64_t step = 0; step < steps; ++step, rows += 4, lower += 4, w += kStepBytes) {
    Integers weights[kVectors];
    for (int v = 0; v < kVectors; ++v) weights[v] = load<Integers>(w + v * kLineBytes);
    for (int64_t i = 0; i < fetch_lines; ++i, fetch += kLineBytes) __builtin_prefetch(fetch, 0, 2);
    for (int r = 0; r < kTileRows; ++r) {
      int32_t value;
      __builtin_memcpy(&value, (r < 3 ? rows : lower) + r % 3 * row_bytes, sizeof(value));
      const Integers row = value - Integers{};
      for (int v = 0; v < kVectors; ++v) Dot::multiply_add(sum[r][v], row, weights[v]);
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < kTileRows; ++r)
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) __builtin_memcpy(sums + r * kColumns + v * kLanes, &sum[r][v], sizeof(Sum));
}

template <class Dot>
struct Multiplication {
  using Format = typename Dot::Format;
  const ProductBlock& block;
  float* sums;

  int64_t steps = Layout<Format>::steps(block.depth);
  int64_t row_bytes = Layout<Format>::row_bytes(block.depth);
  int64_t tile_stride = Layout<Format>::tile_bytes(block.depth);
  int64_t panel_stride = Layout<Format>::panel_bytes(block.depth);

  void run() const {
    for (int64_t p = 0; p < block.num_panels; ++p) {
      for (int64_t step = 0; step < steps; step += kPieceSteps) multiply_piece(p, step);
      if constexpr (Format::kPanelHeader > 0) scale(p);
    }
  }

  float* sums_of(int64_t p, int64_t t) const { return sums + (p * block.num_tiles + t) * kTileRows * kColumns; }

  // The first tiles fetch the piece that comes next: it follows in memory.
  void multiply_piece(int64_t p, int64_t step) const {
    const int64_t count = std::min(kPieceSteps, steps - step);
    const std::byte* w = block.panels + p * panel_stride + Format::kPanelHeader + step * kStepBytes;
    const int64_t lines = div_up(kStepLines, block.num_tiles);
    for (int64_t t = 0; t < block.num_tiles; ++t) {
      const std::byte* rows = block.tiles + t * tile_stride + Format::kTileHeader + step * 4;
      const std::byte* fetch = w + count * kStepBytes + t * lines * count * kLineBytes;
      (step == 0 ? multiply_tile<Dot, true> : multiply_tile<Dot, false>)(rows, row_bytes, w, count, sums_of(p, t),
                                                                         fetch, t * lines < kStepLines ? lines : 0);
    }
  }

  void scale(int64_t p) const {
    const std::byte* header = block.panels + p * panel_stride;
    for (int64_t t = 0; t < block.num_tiles; ++t)
      line_kernels(Dot::kIsa).scale({.sums = sums_of(p, t),
                                     .rows = kTileRows,
                                     .columns = kColumns,
                                     .row_scales = reinterpret_cast<const float*>(block.tiles + t * tile_stride),
                                     .column_scales = reinterpret_cast<const float*>(header),
                                     .offsets = reinterpret_cast<const int32_t*>(header + kColumns * 4)});
  }
};

template <class Dot>
void multiply(const ProductBlock& block, std::byte*, float* sums) {
  Multiplication<Dot>{block, sums}.run();
}

template <class Dot>
void pack_tile(std::span<const float* const> rows, int64_t depth, std::byte* tile) {
  using Format = typename Dot::Format;
  const LineKernels& lines = line_kernels(Dot::kIsa);
  if (rows.size() < kTileRows) std::memset(tile, 0, static_cast<size_t>(Layout<Format>::tile_bytes(depth)));
  for (size_t r = 0; r < rows.size(); ++r) {
    float scale = 1;
    if constexpr (Format::kTileHeader > 0) {
      scale = scale_for(lines.largest(rows[r], depth), row_top(depth, kInt8Top));
      reinterpret_cast<float*>(tile)[r] = scale;
    }
    std::byte* first = tile + Format::kTileHeader + static_cast<int64_t>(r) * Layout<Format>::row_bytes(depth);
    Format::round(lines, rows[r], depth, 1.0F / scale, true, {first, kLineBytes});
  }
}

// Up to 16 columns, a few lines of each at a time; then they are transposed.
template <class Format>
void pack_columns(const LineKernels& lines, std::span<const float* const> columns, const float* scales, int64_t depth,
                  std::byte* weights) {
  constexpr int64_t kPackLines = 8, kSquare = 16 * kLineBytes;
  alignas(64) std::byte squares[kPackLines * kSquare] = {};
  for (int64_t begin = 0; begin < depth; begin += kPackLines * Format::kLineValues) {
    const int64_t count = std::min(depth - begin, kPackLines * Format::kLineValues);
    for (size_t c = 0; c < columns.size(); ++c)
      Format::round(lines, columns[c] + begin, count, scales == nullptr ? 1.0F : 1.0F / scales[c], false,
                    {squares + static_cast<int64_t>(c) * kLineBytes, kSquare});
    for (int64_t s = 0; s < Layout<Format>::lines(count); ++s, weights += kLanes * kStepBytes)
      lines.transpose(squares + s * kSquare, {weights, kStepBytes});
  }
}

// Modulo 2^32, as the instruction sums: only the difference of two such sums has to fit.
inline int32_t wrapped_sum(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
}

// What unsigned rows add to the sum of each column.
inline void find_offsets(const std::byte* weights, int64_t steps, int32_t* offsets) {
  const auto* bytes = reinterpret_cast<const int8_t*>(weights);
  std::fill_n(offsets, kColumns, 0);
  for (int64_t step = 0; step < steps; ++step, bytes += kStepBytes)
    for (int64_t i = 0; i < kStepBytes; ++i) offsets[i / 4] = wrapped_sum(offsets[i / 4], 128 * bytes[i]);
}

template <class Dot>
void pack_panel(std::span<const float* const> columns, int64_t depth, std::byte* panel) {
  using Format = typename Dot::Format;
  const LineKernels& lines = line_kernels(Dot::kIsa);
  std::byte* weights = panel + Format::kPanelHeader;
  float* scales = nullptr;
  if constexpr (Format::kPanelHeader > 0) {
    scales = reinterpret_cast<float*>(panel);
    std::fill_n(scales, kColumns, 0.0F);
    for (size_t c = 0; c < columns.size(); ++c) scales[c] = scale_for(lines.largest(columns[c], depth), kInt8Top);
  }
  for (size_t first = 0; first < kColumns; first += kLanes) {
    const size_t begin = std::min(first, columns.size());
    pack_columns<Format>(lines, columns.subspan(begin, std::min<size_t>(kLanes, columns.size() - begin)),
                         scales == nullptr ? nullptr : scales + begin, depth, weights + first * 4);
  }
  if constexpr (Format::kPanelHeader > 0)
    find_offsets(weights, Layout<Format>::steps(depth), reinterpret_cast<int32_t*>(panel + kColumns * 4));
}

int64_t no_scratch(int64_t) { return 0; }

template <class Dot>
constexpr ProductKernel dot_kernel(std::string_view name, Precision precision, DType weights,
                                   bool (*runs_on)(const CpuFeatures&)) {
  using L = Layout<typename Dot::Format>;
  ProductKernel k{};
  k.name = name, k.isa = Dot::kIsa, k.precision = precision, k.weights = weights, k.runs_on = runs_on;
  k.tile_rows = kTileRows, k.panel_columns = kColumns;
  k.blocking = [](int64_t tiles, int64_t) { return block_by_strips(tiles, kTileRows, 1); };
  k.tile_bytes = L::tile_bytes, k.panel_bytes = L::panel_bytes, k.scratch_bytes = no_scratch;
  k.pack_panel = pack_panel<Dot>, k.pack_tile = pack_tile<Dot>, k.multiply = multiply<Dot>;
  return k;
}

}  // namespace
}  // namespace ramet::ops
