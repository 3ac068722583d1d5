// Rows of x are packed transposed into panels; threads then take strips of output columns, widen their weights block by
// block and run panel_product.
#include "ops/linear.h"
#include "ops/operand.h"
#include "ops/panel_product.h"

namespace ramet::ops {
namespace {

static_assert(kLinearBlock == kSumBlock);
constexpr int64_t kChunkRows = 16 * kMaxPanelRows;  // rows packed at a time; bounds the scratch memory
constexpr int64_t kStrip = 32;                      // output columns of one item

int64_t padded_rows(int64_t rows) { return div_up(std::min(rows, kChunkRows), kMaxPanelRows) * kMaxPanelRows; }

struct Product {
  ConstView x, w;
  const float* bias;  // or null
  View y;
  Linear::Layout layout;
  float* packed;    // [panels, in, panel rows]
  float* all_sums;  // [threads, panels, kStrip, panel rows]

  int64_t panel = panel_rows();
  int64_t depth = x.shape().cols();
  int64_t out_features = y.shape().cols();

  void run(Stream& stream) const;
  void pack(int64_t begin, int64_t rows, int64_t k, int64_t k_end, float* out) const;
  void strip(int64_t begin, int64_t rows, int64_t n, float* sums) const;
  PanelColumns widen_block(int64_t n, int64_t columns, int64_t k, int64_t k_end, std::span<float> block) const;
  void store(int64_t begin, int64_t rows, int64_t n, int64_t columns, const float* sums) const;
};

void Product::run(Stream& stream) const {
  const int64_t blocks = div_up(depth, kLinearBlock);
  const int64_t rows = x.shape().rows();
  for (int64_t begin = 0; begin < rows; begin += kChunkRows) {
    const int64_t count = std::min(kChunkRows, rows - begin);
    stream.pool.run(div_up(count, panel) * blocks, [&](int64_t item) {
      const int64_t r = item / blocks * panel;
      const int64_t k = item % blocks * kLinearBlock;
      pack(begin + r, std::min(panel, count - r), k, std::min(depth, k + kLinearBlock), packed + r * depth);
    });
    stream.pool.run(div_up(out_features, kStrip), [&](int64_t item, int worker) {
      strip(begin, count, item * kStrip, all_sums + worker * padded_rows(rows) * kStrip);
    });
  }
}

// out[k][r] = x[begin + r][k], zeros below the last row.
void Product::pack(int64_t begin, int64_t rows, int64_t k, int64_t k_end, float* out) const {
  constexpr int64_t kLine = 16;  // a cache line of x at a time, so that the lines of `out` stay near
  std::fill(out + k * panel, out + k_end * panel, 0.0F);
  for (; k < k_end; k += kLine)
    for (int64_t r = 0; r < rows; ++r) {
      const float* row = row_of<float>(x, begin + r);
      for (int64_t i = k; i < std::min(k + kLine, k_end); ++i) out[i * panel + r] = row[i];
    }
}

void Product::strip(int64_t begin, int64_t rows, int64_t n, float* sums) const {
  const int64_t columns = std::min(kStrip, out_features - n);
  std::array<float, kStrip * kLinearBlock> block;
  std::fill_n(sums, padded_rows(rows) * kStrip, 0.0F);
  for (int64_t k = 0; k < depth; k += kLinearBlock) {
    const int64_t k_end = std::min(depth, k + kLinearBlock);
    const PanelColumns weights = widen_block(n, columns, k, k_end, block);
    for (int64_t r = 0; r < rows; r += panel)
      panel_product(packed + r * depth + k * panel, std::min(panel, rows - r), k_end - k, weights, sums + r * kStrip);
  }
  for (int64_t r = 0; r < rows; r += panel) store(begin + r, std::min(panel, rows - r), n, columns, sums + r * kStrip);
}

PanelColumns Product::widen_block(int64_t n, int64_t columns, int64_t k, int64_t k_end, std::span<float> block) const {
  if (layout == Linear::Layout::out_in) {
    for (int64_t c = 0; c < columns; ++c) widen_row(w, n + c, k, block.subspan(c * kLinearBlock, k_end - k));
    return {block.data(), columns, kLinearBlock, 1};
  }
  for (int64_t i = k; i < k_end; ++i) widen_row(w, i, n, block.subspan((i - k) * kStrip, columns));
  return {block.data(), columns, 1, kStrip};
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
