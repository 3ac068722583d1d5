// linear: the matrix product with stored weights.
//
//   y[r] = x[r] W^T + b         out_in: W [out, in], as almost every checkpoint stores it
//   y[r] = x[r] W + b           in_out: W [in, out], one slot of the per-embodiment layers
//
// x  [..., in]   float32, rows may be strided (a slice of columns)
// W  float32, bf16 or f16, read where the checkpoint has it mapped; widened exactly
// b  [out]       float32; may be left out
// y  [..., out]  float32
//
// Columns of x may be known to come in equal copies (ColumnCopies). That changes nothing here; a product (product.h)
// then reads one copy alone.
//
// Sum over `in` in blocks of kLinearBlock: inside a block one fused multiply-add after the other in ascending order
// from zero, then block sums in ascending order from zero, then b. The order does not depend on shapes, threads or
// vector width; a machine without fused multiply-add gets the same bits, slowly.
#pragma once

#include "ops/op.h"

namespace ramet::ops {

inline constexpr int64_t kLinearBlock = 256;

// Groups of columns of x, each `count` times the same `width` columns: x [.., groups, count, width].
struct ColumnCopies {
  int64_t count = 1, width = 1;

  friend bool operator==(const ColumnCopies&, const ColumnCopies&) = default;
};

struct Linear {
  enum class Layout { out_in, in_out };

  static constexpr std::string_view kName = "linear";
  Layout layout = Layout::out_in;
  ColumnCopies copies = {};

  Shape output_shape(Operands in) const;
  int64_t scratch_bytes(Operands in, int threads) const;
  void reference(Stream& stream, Operands in, View y) const;
};

}  // namespace ramet::ops
