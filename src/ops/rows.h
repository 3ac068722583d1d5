// Ops that move rows. `index` is i64; its values are below the number of rows they select from (checked where ids
// enter).
#pragma once

#include "ops/op.h"

namespace ramet::ops {

// gather_rows: y[i] = float32(table[index[i]])
//
// table  [rows, cols]   float32, bf16 or f16, possibly mapped from the checkpoint (embedding)
// index  [count]        i64
// y      [count, cols]  float32
struct GatherRows {
  static constexpr std::string_view kName = "gather_rows";

  Shape output_shape(Operands in) const;
  void reference(Stream& stream, Operands in, View y) const;
};

// interpolate_rows: y[i] = ((w[i,0] t[n[i,0]] + w[i,1] t[n[i,1]]) + w[i,2] t[n[i,2]]) + w[i,3] t[n[i,3]]
//
// table    [rows, cols]   float32, bf16 or f16: the learned position grid
// index    [count, 4]     i64: the four corners
// weights  [count, 4]     float32
// y        [count, cols]  float32
struct InterpolateRows {
  static constexpr std::string_view kName = "interpolate_rows";

  Shape output_shape(Operands in) const;
  void reference(Stream& stream, Operands in, View y) const;
};

// scatter_rows: y = x, then y[index[i]] = rows[i] (replace) or y[index[i]] += rows[i] (add)
//
// x, y   [tokens, cols]  float32
// rows   [count, cols]   float32
// index  [count]         i64, distinct
struct ScatterRows {
  enum class Mode { replace, add };

  static constexpr std::string_view kName = "scatter_rows";
  Mode mode;

  Shape output_shape(Operands in) const;
  void reference(Stream& stream, Operands in, View y) const;
};

// concat: the operands one after the other along `axis` (0 rows, 1 columns).     each [rows, cols] float32
struct Concat {
  static constexpr std::string_view kName = "concat";
  int axis;

  Shape output_shape(Operands in) const;
  void reference(Stream& stream, Operands in, View y) const;
};

}  // namespace ramet::ops
