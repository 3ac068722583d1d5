// Ops that treat each element by itself.
#pragma once

#include "ops/op.h"

namespace ramet::ops {

// activation: y = f(x)
//
//   gelu_tanh  0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))
//   gelu_erf   0.5 x (1 + erf(x / sqrt(2)))
//   silu       x / (1 + exp(-x))
//   relu       max(x, 0)
//
// x [...]  float32, y the same shape.
struct Activation {
  enum class Kind { gelu_tanh, gelu_erf, silu, relu };

  static constexpr std::string_view kName = "activation";
  Kind kind;

  Shape output_shape(Operands in) const;
  void reference(Stream& stream, Operands in, View y) const;
};

// binary: y = a + b, or y = a * b.     a, b, y [...] float32 of one shape
struct Binary {
  enum class Kind { add, multiply };

  static constexpr std::string_view kName = "binary";
  Kind kind;

  Shape output_shape(Operands in) const;
  void reference(Stream& stream, Operands in, View y) const;
};

// add_scaled: y = a + alpha * b, the product rounded before the sum (the Euler step of flow matching).
struct AddScaled {
  static constexpr std::string_view kName = "add_scaled";
  float alpha;

  Shape output_shape(Operands in) const;
  void reference(Stream& stream, Operands in, View y) const;
};

// widen: y = float32(x).     x [...] any numeric dtype, dense
struct Widen {
  static constexpr std::string_view kName = "widen";

  Shape output_shape(Operands in) const;
  void reference(Stream& stream, Operands in, View y) const;
};

}  // namespace ramet::ops
