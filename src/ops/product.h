// product: matrix products with packed weights, one or several side by side over the same rows, with everything that
// stands before and after them: the op of the tuned executor.
//
//   n      = norm(x)                                              or x itself
//   y_p[r] = f_p(n[r] W_p^T + b_p) + residual_p[r]                for every part p; f_p and residual may be absent
//   y_p[r] = f_p(n[r] W_p^T + b_p) * (n[r] U_p^T + c_p) + ...     a gated part (SwiGLU: W gate_proj, U up_proj)
//
// x         [rows, in]     float32, rows may be strided
// W_p, U_p  [out_p, in]    packed by the one kernel of the product (product_kernel.h says what it rounds)
// b_p, c_p  [out_p]        float32
// y_p       [rows, out_p]  float32, dense; may be the residual
//
// Where columns of x come in equal copies (linear.h), the first one is read; W_p is packed for it (pack_matrix.h).
//
// Where the only readers of y_p are products whose kernel takes rows rounded to bf16, y_p may be written as lines
// (product_kernel.h) at once (`reader`, then `x_is_lines` there): the bits are those of packing y_p later.
//
// Norms and everything after the sums are float32. Rows do not see each other, and neither the number of threads nor
// that of rows changes a bit.
#pragma once

#include "device/stream.h"
#include "ops/elementwise.h"
#include "ops/pack_matrix.h"
#include "ops/product_kernel.h"
#include "ops/row_norm.h"
#include "tensor/view.h"

#include <optional>
#include <vector>

namespace ramet::ops {

struct ProductPart {
  PackedMatrix weight;
  const float* bias = nullptr;
  std::optional<Activation::Kind> f;
  PackedMatrix gated;  // no panels: not gated
  const float* gated_bias = nullptr;
  ConstView residual;  // no bytes: none
  View y;
  const ProductKernel* reader = nullptr;  // whose lines the memory of y gets instead
};

// Whether products of `writer` may be stored as lines: its tiles and panels end where theirs do.
bool writes_lines(const ProductKernel& writer);

// Whether `reader` takes rows as lines, and a matrix of float32 has room for itself as such.
bool may_write_lines(const ProductKernel& reader, int64_t rows, int64_t columns);

struct Product {
  const ProductKernel* kernel;
  std::optional<RowNorm> norm;
  ConstView x;
  bool x_is_lines = false;   // no norm and no copies then
  ColumnCopies copies = {};  // no norm then
  std::vector<ProductPart> parts;

  static int64_t scratch_bytes(const ProductKernel& kernel, int64_t rows, int64_t depth, int threads,
                               bool x_is_lines = false);
  void run(Stream& stream) const;
};

}  // namespace ramet::ops
