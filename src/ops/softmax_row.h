// One row of attention scores on vectors.
//
//   p[s] = exp(scale * (score[s] - max))   for s < visible, 0 for visible <= s < keys;   returns sum of p
//
// score[s] stands at scores[s / panel_columns * panel_stride + s % panel_columns]: as a product leaves it. The maximum
// is that of the visible scores; everything is float32, the sum by lanes in a fixed order.
#pragma once

#include "device/isa.h"
#include "ops/product_lines.h"

#include <cstdint>

namespace ramet::ops {

struct ScoreRow {
  const float* scores;
  int64_t panel_stride, panel_columns;
  int64_t visible, keys;
  float scale;  // > 0
};

using SoftmaxRow = float (*)(const ScoreRow& row, float* p);
SoftmaxRow softmax_row(Isa isa);

// The same with exp within 2e-4 and p rounded to bf16 into lines of 32, the last one filled up with zeros;
// panel_columns is 32. The sum is that of p before it is rounded.
using SoftmaxLines = float (*)(const ScoreRow& row, Lines p);
SoftmaxLines softmax_lines(Isa isa);

}  // namespace ramet::ops
