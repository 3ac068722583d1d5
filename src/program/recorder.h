// Writes a Program. One line of a model's formula is one call; shapes are inferred and checked at once.
//
//   Value h = rec.add(x, attn.record(rec, rec.layer_norm(x, norm1)));
//
// A Value is small and copied freely. Slices and reshapes are windows, not copies.
#pragma once

#include "program/program.h"
#include "weights/claims.h"

#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <utility>

namespace ramet {

// Weights of a layer as a checkpoint names them; `bias` may be absent.
struct LinearWeights {
  Weight weight;  // [out, in]
  Weight bias;    // [out]
};
struct NormWeights {
  Weight weight;  // [hidden_size]
  Weight bias;    // [hidden_size]; absent for RMS norms
};

class Recorder {
 public:
  Program finish() && { return std::move(program_); }

  const Shape& shape(Value value) const { return program_.shape(value); }
  void begin_stage(std::string name);
  Value tap(std::string name, Value value);  // returns value
  void output(std::string name, Value value);

  Value input(std::string name, DType dtype, const Shape& shape);
  Value constant(const Shape& shape, std::vector<float> values);
  Value index(const Shape& shape, std::vector<int64_t> values);
  Value weight(const Weight& weight);     // in the checkpoint's dtype: for linear and gather_rows
  Value parameter(const Weight& weight);  // widened to float32 at load

  Value linear(Value x, const LinearWeights& layer, ops::ColumnCopies copies = {});
  Value linear(Value x, const Weight& weight);
  Value linear_in_out(Value x, const LinearWeights& layer);  // its weight is [in, out]
  Value layer_norm(Value x, const NormWeights& norm, float eps);
  Value layer_norm(Value x, float eps);  // without affine
  Value ada_layer_norm(Value x, Value scale, Value shift, float eps);
  Value rms_norm(Value x, const Weight& gain, float eps);

  Value gelu_tanh(Value x) { return activation(x, ops::Activation::Kind::gelu_tanh); }
  Value gelu_erf(Value x) { return activation(x, ops::Activation::Kind::gelu_erf); }
  Value silu(Value x) { return activation(x, ops::Activation::Kind::silu); }
  Value relu(Value x) { return activation(x, ops::Activation::Kind::relu); }
  Value activation(Value x, ops::Activation::Kind kind);
  Value add(Value a, Value b);
  Value multiply(Value a, Value b);
  Value add_scaled(Value a, float alpha, Value b);  // a + alpha b

  Value rope(Value x, Value cos, Value sin);
  Value attention(Value q, Value k, Value v, ops::Attention attributes);

  Value gather_rows(Value table, Value index);
  Value interpolate_rows(Value table, Value index, Value weights);
  Value replace_rows(Value x, Value rows, Value index);
  Value add_to_rows(Value x, Value rows, Value index);
  Value concat_rows(std::initializer_list<Value> parts);
  Value concat_cols(std::initializer_list<Value> parts);

  Value slice_rows(Value x, int64_t begin, int64_t count);  // of [rows, cols]
  Value slice_cols(Value x, int64_t begin, int64_t count);  // of [rows, cols]
  Value heads(Value x, int64_t num_heads);                  // [tokens, heads * head_dim] -> [tokens, heads, head_dim]
  Value reshape(Value x, const Shape& shape);               // of a dense value

 private:
  template <class OpType>
  Value emit(OpType op, std::span<const Value> inputs);
  Value add_value(Program::ValueInfo info);
  Value window(Value x, const Shape& shape, const Strides& strides, int64_t offset);

  Program program_;
  std::map<std::tuple<const void*, Strides, Strides>, Value> weights_, parameters_;  // by view: recorded once
};

}  // namespace ramet
