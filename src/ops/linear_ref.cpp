// Rows of x are packed into transposed panels, block by block of `in`. Threads then take strips of output columns,
// widen their weights a block at a time and run panel_product over all panels.
#include "ops/linear.h"
#include "ops/operand.h"
#include "ops/panel_product.h"

namespace ramet::ops {
namespace {

static_assert(kLinearBlock == kSumBlock);
constexpr int64_t kChunkRows = 16 * kMaxPanelRows;  // rows packed at a time; bounds the scratch memory
constexpr int64_t kStrip = 64;                      // output columns of one item
constexpr int64_t kWidened = 16;                    // columns widened at a time, to stay in the first-level cache

int64_t padded_rows(int64_t rows) { return div_up(std::min(rows, kChunkRows), kMaxPanelRows) * kMaxPanelRows; }

// Rows and columns of W as it is stored.
struct Piece {
  int64_t row, rows, column, columns;
};

struct Product {
  ConstView x, w;
  const float* bias;  // or null
  View y;
  Linear::Layout layout;
  float* packed;    // [in blocks, panels, block, panel rows]
  float* all_sums;  // [threads, panels, kStrip, panel rows]

  int64_t panel = panel_rows();
  int64_t depth = x.shape().cols();
  int64_t out_features = y.shape().cols();
  int64_t padded = padded_rows(x.shape().rows());

  void run(Stream& stream) const;
  void pack(int64_t begin, int64_t rows, int64_t k, int64_t block, float* out) const;
  void strip(int64_t begin, int64_t rows, int64_t n, float* sums) const;
  void add_block(int64_t rows, int64_t n, int64_t columns, int64_t k, float* sums) const;
  Piece piece(int64_t n, int64_t columns, int64_t k) const;
  PanelColumns widen_piece(const Piece& piece, float* out) const;
  void prefetch(const Piece& piece) const;
  void store(int64_t begin, int64_t rows, int64_t n, int64_t columns, const float* sums) const;

  int64_t block_at(int64_t k) const { return std::min(kLinearBlock, depth - k); }
  float* packed_panel(int64_t r, int64_t k) const { return packed + k * padded + r * block_at(k); }
};

void Product::run(Stream& stream) const {
  const int64_t blocks = div_up(depth, kLinearBlock);
  for (int64_t begin = 0; begin < x.shape().rows(); begin += kChunkRows) {
    const int64_t rows = std::min(kChunkRows, x.shape().rows() - begin);
    stream.pool.run(div_up(rows, panel) * blocks, [&](int64_t item) {
      const int64_t r = item / blocks * panel;
      const int64_t k = item % blocks * kLinearBlock;
      pack(begin + r, std::min(panel, rows - r), k, block_at(k), packed_panel(r, k));
    });
    stream.pool.run(div_up(out_features, kStrip), [&](int64_t item, int worker) {
      strip(begin, rows, item * kStrip, all_sums + worker * padded * kStrip);
    });
  }
}

// out[i][r] = x[begin + r][k + i], zeros below the last row.
void Product::pack(int64_t begin, int64_t rows, int64_t k, int64_t block, float* out) const {
  constexpr int64_t kLine = 16;  // one cache line of x at a time, so that the lines of `out` stay near
  if (rows < panel) std::fill_n(out, block * panel, 0.0F);
  for (int64_t line = 0; line < block; line += kLine)
    for (int64_t r = 0; r < rows; ++r) {
      const float* row = row_of<float>(x, begin + r) + k;
      for (int64_t i = line; i < std::min(line + kLine, block); ++i) out[i * panel + r] = row[i];
    }
}

void Product::strip(int64_t begin, int64_t rows, int64_t n, float* sums) const {
  const int64_t columns = std::min(kStrip, out_features - n);
  std::fill_n(sums, padded * kStrip, 0.0F);
  for (int64_t k = 0; k < depth; k += kLinearBlock)
    for (int64_t c = 0; c < columns; c += kWidened)
      add_block(rows, n + c, std::min(kWidened, columns - c), k, sums + c * panel);
  for (int64_t r = 0; r < rows; r += panel) store(begin + r, std::min(panel, rows - r), n, columns, sums + r * kStrip);
}

void Product::add_block(int64_t rows, int64_t n, int64_t columns, int64_t k, float* sums) const {
  alignas(64) std::array<float, kWidened * kLinearBlock> block;
  const PanelColumns weights = widen_piece(piece(n, columns, k), block.data());
  if (k + kLinearBlock < depth) prefetch(piece(n, columns, k + kLinearBlock));
  for (int64_t r = 0; r < rows; r += panel)
    panel_product(packed_panel(r, k), std::min(panel, rows - r), block_at(k), weights, sums + r * kStrip);
}

Piece Product::piece(int64_t n, int64_t columns, int64_t k) const {
  if (layout == Linear::Layout::out_in) return {n, columns, k, block_at(k)};
  return {k, block_at(k), n, columns};
}

PanelColumns Product::widen_piece(const Piece& piece, float* out) const {
  const bool out_in = layout == Linear::Layout::out_in;
  const int64_t stride = out_in ? kLinearBlock : kWidened;
  for (int64_t i = 0; i < piece.rows; ++i)
    widen_row(w, piece.row + i, piece.column, {out + i * stride, static_cast<size_t>(piece.columns)});
  return out_in ? PanelColumns{out, piece.rows, stride, 1} : PanelColumns{out, piece.columns, 1, stride};
}

// Short pieces of far rows: the processor does not foresee them.
void Product::prefetch(const Piece& piece) const {
  constexpr int64_t kLineBytes = 64;
  const int64_t element = size_bytes(w.dtype());
  for (int64_t i = 0; i < piece.rows; ++i) {
    const std::byte* start = w.bytes() + (row_offset(w, piece.row + i) + piece.column) * element;
    for (int64_t b = 0; b < piece.columns * element; b += kLineBytes) __builtin_prefetch(start + b, 0, 2);
  }
}

void Product::store(int64_t begin, int64_t rows, int64_t n, int64_t columns, const float* sums) const {
  for (int64_t r = 0; r < rows; ++r) {
    float* out = row_of(y, begin + r) + n;
    for (int64_t c = 0; c < columns; ++c) out[c] = sums[c * panel + r];
    if (bias != nullptr)
      for (int64_t c = 0; c < columns; ++c) out[c] += bias[n + c];
  }
}

}  // namespace

int64_t Linear::scratch_bytes(Operands in, int threads) const {
  const int64_t rows = padded_rows(in[0].shape().rows());
  return rows * (in[0].shape().cols() + threads * kStrip) * static_cast<int64_t>(sizeof(float));
}

void Linear::reference(Stream& stream, Operands in, View y) const {
  RAMET_DASSERT(static_cast<int64_t>(stream.scratch.size()) >= scratch_bytes(in, stream.pool.threads()));
  float* scratch = reinterpret_cast<float*>(stream.scratch.data());
  const float* bias = in.size() == 3 ? in[2].data<float>() : nullptr;
  const int64_t packed = padded_rows(in[0].shape().rows()) * in[0].shape().cols();
  Product{in[0], in[1], bias, y, layout, scratch, scratch + packed}.run(stream);
}

}  // namespace ramet::ops
