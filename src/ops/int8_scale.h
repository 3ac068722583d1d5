// Scales of values held as small integers: value = integer * scale.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace ramet::ops {

constexpr float kTinyScale = 1e-30F;
constexpr int kInt8Top = 127;

// The scale that makes `top` of the largest value. Values that are all below 1e-30 count as zeros, whose scale that is.
inline float scale_for(float largest_value, float top) {
  return largest_value < kTinyScale ? kTinyScale : largest_value / top;
}

// The largest integer, `widest` at most, for which no sum of `depth` products with 8-bit integers leaves int32.
inline float row_top(int64_t depth, int64_t widest) {
  return static_cast<float>(std::min(std::numeric_limits<int32_t>::max() / (kInt8Top * depth), widest));
}

}  // namespace ramet::ops
