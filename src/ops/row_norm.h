// The normalisation of one row on vectors: what LayerNorm, AdaLayerNorm and RmsNorm (norm.h) are in the tuned executor,
// alone or inside the product that reads them.
//
//   y = (x - mean) / sqrt(var + eps) * gain + shift       layer: var divides by the width
//   y = x / sqrt(mean of squares + eps) * gain            rms
//   gain: scale, or 1 + scale (modulated)                 scale and shift may be absent
//
// Sums in float32, one for each lane of a vector, added in a fixed order at the end; the variance from centred values.
#pragma once

#include "device/isa.h"

#include <cstdint>

namespace ramet::ops {

struct RowNorm {
  enum class Kind { layer, rms };

  Kind kind;
  float eps;
  const float* scale = nullptr;
  const float* shift = nullptr;
  bool one_plus_scale = false;
};

using NormalizeRow = void (*)(const RowNorm& norm, const float* x, int64_t width, float* y);
NormalizeRow normalize_row(Isa isa);

}  // namespace ramet::ops
