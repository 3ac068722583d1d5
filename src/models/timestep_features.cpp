#include "models/timestep_features.h"

#include <cmath>

namespace ramet {
namespace {

// angle[j] = t exp(-j ln(10000) / divisor), j < half
std::vector<float> angles(int64_t timestep, int64_t half, int64_t divisor) {
  std::vector<float> result;
  for (int64_t j = 0; j < half; ++j) {
    const double exponent = -static_cast<double>(j) * std::log(10000.0) / static_cast<double>(divisor);
    result.push_back(static_cast<float>(timestep) * static_cast<float>(std::exp(exponent)));
  }
  return result;
}

}  // namespace

std::vector<int64_t> timestep_buckets(int64_t steps, int64_t buckets) {
  std::vector<int64_t> result;
  for (int64_t k = 0; k < steps; ++k)
    result.push_back(
        static_cast<int64_t>(static_cast<double>(k) / static_cast<double>(steps) * static_cast<double>(buckets)));
  return result;
}

std::vector<float> action_time_features(int64_t timestep, int64_t dim) {
  std::vector<float> features;
  const std::vector<float> angle = angles(timestep, dim / 2, dim / 2);
  for (const float a : angle) features.push_back(std::sin(a));
  for (const float a : angle) features.push_back(std::cos(a));
  return features;
}

std::vector<float> timestep_features(int64_t timestep, int64_t dim) {
  std::vector<float> features;
  const std::vector<float> angle = angles(timestep, dim / 2, dim / 2 - 1);
  for (const float a : angle) features.push_back(std::cos(a));
  for (const float a : angle) features.push_back(std::sin(a));
  return features;
}

}  // namespace ramet
