// One row of attention scores on vectors.
//
//   p[s] = exp(scale * (score[s] - max))   for s < visible, 0 for visible <= s < keys;   returns sum of p
//
// score[s] stands at scores[s / panel_columns * panel_stride + s % panel_columns]: as a product leaves it. The maximum
// is that of the visible scores; everything is float32, the sum by lanes in a fixed order.
#pragma once

#include "device/isa.h"

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

}  // namespace ramet::ops
