// What follows the sums of a product: bias, activation, gate, residual, store.
//
//   y[r][c] = f(sums[r][c] + bias[c]) * (gated[r][c] + gated_bias[c]) + residual[r][c]        absent parts left out
#pragma once

#include "device/isa.h"
#include "ops/elementwise.h"

#include <cstdint>
#include <optional>

namespace ramet::ops {

struct ProductFinish {
  const float* sums;  // [rows, sums_stride]
  int64_t sums_stride;
  int64_t rows, columns;
  const float* bias = nullptr;  // [columns]
  std::optional<Activation::Kind> f;
  const float* gated = nullptr;       // like sums
  const float* gated_bias = nullptr;  // [columns]
  const float* residual = nullptr;    // [rows, residual_stride]
  int64_t residual_stride = 0;
  float* y;  // [rows, y_stride]; may be the residual
  int64_t y_stride;
};

using FinishProduct = void (*)(const ProductFinish& finish);
FinishProduct finish_product(Isa isa);

}  // namespace ramet::ops
