// What follows the sums of a product: bias, activation, gate, residual, store.
//
//   y[r][c] = f(sums[r][c] + bias[c]) * (gated[r][c] + gated_bias[c]) + residual[r][c]        absent parts left out
//
// y is float32 rows, or bf16 (rounded to nearest, ties to even) in tiles of kLineRows lines of 64 bytes.
#pragma once

#include "device/isa.h"
#include "ops/elementwise.h"
#include "ops/product_lines.h"

#include <cstdint>
#include <optional>

namespace ramet::ops {

constexpr int64_t kLineRows = 16;
constexpr int64_t kLineValues = 32;

// Some columns of a product: up to kLineValues of them where it writes tiles.
struct ProductFinish {
  int64_t columns;
  const float* bias = nullptr;  // [columns]
  std::optional<Activation::Kind> f;
  bool coarse = false;                // f within 2e-4: what is rounded to bf16 or 8 bits shows no more
  const float* gated_bias = nullptr;  // [columns]
  const float* residual = nullptr;    // [rows, residual_stride]
  int64_t residual_stride = 0;
  float* y = nullptr;  // [rows, y_stride]; may be the residual
  int64_t y_stride = 0;
  std::byte* tiles = nullptr;  // instead of y: row r is the line at r / kLineRows * tile_stride + r % kLineRows * 64
  int64_t tile_stride = 0;     // bytes
};

struct FinishedRows {
  int64_t first, count;  // rows of the finish
  const float* sums;     // [count, stride]
  const float* gated = nullptr;
  int64_t stride;
};

using FinishProduct = void (*)(const ProductFinish& finish, const FinishedRows& rows);
FinishProduct finish_product(Isa isa);

}  // namespace ramet::ops
