// Normalisations over the last dimension. Statistics are summed in double, in ascending order, the variance from the
// centred values; the normalised value is rounded to float32 once, then the products and sums with the vectors are.
// The tuned executor sums in float32 (row_norm.h).
#pragma once

#include "ops/op.h"

namespace ramet::ops {

// layer_norm: y[r] = (x[r] - mean(x[r])) / sqrt(var(x[r]) + eps) * gamma + beta      var divides by the width
//
// x, y         [..., hidden_size]  float32
// gamma, beta  [hidden_size]       float32; both or neither
struct LayerNorm {
  static constexpr std::string_view kName = "layer_norm";
  float eps;

  Shape output_shape(Operands in) const;
  void reference(Stream& stream, Operands in, View y) const;
  void run(Stream& stream, Operands in, View y) const;
};

// ada_layer_norm: y[r] = layer_norm(x[r]) * (1 + scale) + shift      modulated per denoising step (DiT)
//
// x, y          [rows, hidden_size]  float32
// scale, shift  [hidden_size]        float32
// Source: spec gr00t-n1.7, section 5.
struct AdaLayerNorm {
  static constexpr std::string_view kName = "ada_layer_norm";
  float eps;

  Shape output_shape(Operands in) const;
  void reference(Stream& stream, Operands in, View y) const;
  void run(Stream& stream, Operands in, View y) const;
};

// rms_norm: y[r] = x[r] / sqrt(mean(x[r]^2) + eps) * gamma
//
// x, y   [..., dim]  float32, rows may be strided (the heads inside a fused projection)
// gamma  [dim]       float32
struct RmsNorm {
  static constexpr std::string_view kName = "rms_norm";
  float eps;

  Shape output_shape(Operands in) const;
  void reference(Stream& stream, Operands in, View y) const;
  void run(Stream& stream, Operands in, View y) const;
};

}  // namespace ramet::ops
