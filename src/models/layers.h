// Claiming the weights of the usual layers under the names a checkpoint gives them.
#pragma once

#include "program/recorder.h"
#include "weights/claims.h"

#include <string_view>

namespace ramet {

// NAME.weight [out, in] and NAME.bias [out]
inline LinearWeights claim_linear(const WeightScope& scope, std::string_view name, int64_t in, int64_t out) {
  const WeightScope layer = scope.scope(name);
  return {.weight = layer.weight("weight", {out, in}), .bias = layer.weight("bias", {out})};
}

// NAME.weight [out, in]
inline LinearWeights claim_linear_without_bias(const WeightScope& scope, std::string_view name, int64_t in,
                                               int64_t out) {
  return {.weight = scope.scope(name).weight("weight", {out, in}), .bias = {}};
}

// NAME.weight [hidden_size] and NAME.bias [hidden_size]
inline NormWeights claim_norm(const WeightScope& scope, std::string_view name, int64_t hidden_size) {
  const WeightScope norm = scope.scope(name);
  return {.weight = norm.weight("weight", {hidden_size}), .bias = norm.weight("bias", {hidden_size})};
}

// The same bytes under another shape; an empty weight stays empty.
inline Weight reshaped(Weight weight, const Shape& shape) {
  if (weight) weight.view = ConstView(weight.view.bytes(), weight.view.dtype(), shape);
  return weight;
}

}  // namespace ramet
