// Normalisation of state and action columns, in float32 with statistics rounded to it.
//
//   mode       forward                                inverse                    a column without range
//   min_max    2 ((x - min) / (max - min)) - 1        (x+1)/2 (max - min) + min  forward 0
//   q99        the same with q01, q99; to [-1, 1]     the same                   forward x, also clamped
//   mean_std   (x - mean) / std                       x std + mean               forward x
//   scale      x / max(|min|, |max|)                  none                       forward 0
//   binary     x > 0.5 ? 1 : 0                        the same
//   none       x                                      x
//
// Nothing else is clamped. Source: spec gr00t-n1.5, sections 5.3 and 8.1.
#pragma once

#include "policy/robot/statistics.h"

#include <ramet/error.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ramet {

enum class NormalizerMode { none, min_max, q99, mean_std, scale, binary };

std::string_view name(NormalizerMode mode);
bool needs_statistics(NormalizerMode mode);
// Errors: invalid_value at `where`, listing the names.
Result<NormalizerMode> parse_normalizer_mode(std::string_view name, const std::string& where);

class Normalizer {
 public:
  Normalizer() = default;
  // Errors: not_found, invalid_file (the statistics of the mode); shape_mismatch when they have not `dims` columns.
  static Result<Normalizer> make(NormalizerMode mode, const KeyStatistics& statistics, int64_t dims);
  // min_max over [low, high] in all columns.
  static Normalizer fixed_bounds(float low, float high, int64_t dims);

  NormalizerMode mode() const { return mode_; }
  void forward(std::span<float> columns) const;
  void inverse(std::span<float> columns) const;  // not for mode scale

 private:
  NormalizerMode mode_ = NormalizerMode::none;
  std::vector<float> a_, b_;  // min and max, q01 and q99, or mean and std
};

}  // namespace ramet
