// The inner loop of the reference products: a panel of rows, stored transposed, times columns of a second matrix.
//
//   out[c][r] += sum_k panel[k][r] * w[k * k_stride + c * column_stride]       r < rows, c < w.count
//
// panel  [depth, panel_rows()]    out  [w.count, panel_rows()]    float32
// Each element is summed by itself: over k in blocks of kSumBlock, inside a block by fused multiply-adds in ascending
// order from zero, then the block sums in ascending order. Vectors run over rows, so their width changes no bit.
// Elements of `out` with r >= rows may change too.
#pragma once

#include <cstdint>

namespace ramet::ops {

inline constexpr int64_t kSumBlock = 256;
inline constexpr int64_t kMaxPanelRows = 48;  // a multiple of panel_rows() on every machine

struct PanelColumns {
  const float* w;
  int64_t count;
  int64_t column_stride, k_stride;
};

int64_t panel_rows();  // three vectors of this machine
void panel_product(const float* panel, int64_t rows, int64_t depth, PanelColumns columns, float* out);

}  // namespace ramet::ops
