// rope: rotary position embedding in the rotate-half convention.
//
//   y[t,h,j]     = x[t,h,j] cos[t,j]     - x[t,h,j+d] sin[t,j]
//   y[t,h,j+d]   = x[t,h,j+d] cos[t,j]   + x[t,h,j] sin[t,j]        d = head_dim / 2, j < d
//
// x         [tokens, heads, head_dim]  float32, may be strided (q or k inside a fused projection)
// cos, sin  [tokens, head_dim / 2]     float32
// y         [tokens, heads, head_dim]  float32
//
// Which position turns which pair (2-D vision, interleaved multimodal) is in the tables, made by the model.
#pragma once

#include "ops/op.h"

namespace ramet::ops {

struct Rope {
  static constexpr std::string_view kName = "rope";

  Shape output_shape(Operands in) const;
  void reference(Stream& stream, Operands in, View y) const;
  void run(Stream& stream, Operands in, View y) const;
};

}  // namespace ramet::ops
