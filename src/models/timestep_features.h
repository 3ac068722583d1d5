// What the action head knows of the denoising step: its bucket, and the bucket as waves.
//
//   bucket of step k        trunc(k / steps * buckets)
//   action encoder          [sin(t f) | cos(t f)]      f_j = exp(-j ln(10000) / half)             sines first
//   timestep embedder       [cos(t w) | sin(t w)]      w_j = exp(-j ln(10000) / (half - 1))       cosines first
//
// half = dim / 2, 0 <= j < half; dim is even. Source: spec gr00t-n1.7, sections 5 and 6.
#pragma once

#include <cstdint>
#include <vector>

namespace ramet {

std::vector<int64_t> timestep_buckets(int64_t steps, int64_t buckets);

std::vector<float> action_time_features(int64_t timestep, int64_t dim);  // [dim]
std::vector<float> timestep_features(int64_t timestep, int64_t dim);     // [dim]

}  // namespace ramet
