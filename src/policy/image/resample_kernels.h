// The three families behind resize(): `out` has its size, which differs from that of `in`.
#pragma once

#include "policy/image/image.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ramet {

// Output sample i of one axis is the sum over j < count[i] of weight(i)[j] * in[first[i] + j].
template <class Weight>
struct AxisTaps {
  AxisTaps(int64_t outputs, int64_t max_count)
      : stride(max_count),
        first(static_cast<size_t>(outputs)),
        count(static_cast<size_t>(outputs)),
        weights(static_cast<size_t>(outputs * max_count)) {}

  int64_t outputs() const { return static_cast<int64_t>(first.size()); }
  Weight* weight(int64_t i) { return weights.data() + i * stride; }
  const Weight* weight(int64_t i) const { return weights.data() + i * stride; }

  int64_t stride;
  std::vector<int64_t> first;
  std::vector<int64_t> count;
  std::vector<Weight> weights;
};

inline uint8_t clamp_to_byte(int32_t value) { return static_cast<uint8_t>(std::clamp(value, 0, 255)); }

enum class FilterKernel { bilinear, bicubic };
enum class WeightBits {
  pillow,  // 22
  torch,   // as many as let the weights of the axis fit int16
};
enum class PassOrder { width_first, height_first };

// Two passes with an 8-bit picture between them; an axis that keeps its size is skipped.
Status resize_separable(const Image& in, FilterKernel kernel, WeightBits bits, PassOrder order, Image& out);

enum class CvMode { area, linear };
void resize_opencv(const Image& in, CvMode mode, Image& out);

// The methods OpenCV chooses from, for the pair of axes.
void resize_integer_area(const Image& in, Image& out);  // both scales are integers
void resize_general_area(const Image& in, Image& out);  // both axes shrink or stay
void resize_fixed_point(const Image& in, CvMode coordinates, Image& out);

// OpenCV's scale of an axis: 1 / (to / from), each quotient rounded.
inline double cv_scale(int64_t from, int64_t to) { return 1.0 / (static_cast<double>(to) / static_cast<double>(from)); }

// To nearest, ties to even, for |value| < 2^22; unlike std::nearbyint it vectorises on every x86-64.
inline int32_t round_even(float value) {
  constexpr float kShift = 12582912.0F;  // 1.5 * 2^23: its unit in the last place is 1
  return static_cast<int32_t>((value + kShift) - kShift);
}

}  // namespace ramet
