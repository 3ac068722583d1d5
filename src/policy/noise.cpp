#include "policy/noise.h"

#include <cmath>
#include <numbers>

namespace ramet {
namespace {

constexpr uint64_t kGolden = 0x9E3779B97F4A7C15U;

uint64_t mix64(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31);
}

double uniform(uint64_t seed, uint64_t n) {
  return (static_cast<double>(mix64(mix64(seed) + (n + 1) * kGolden) >> 11) + 0.5) * 0x1p-53;
}

}  // namespace

void fill_noise(uint64_t seed, std::span<float> out) {
  for (size_t n = 0; n < out.size(); n += 2) {
    const double radius = std::sqrt(-2.0 * std::log(uniform(seed, n)));
    const double angle = 2.0 * std::numbers::pi * uniform(seed, n + 1);
    out[n] = static_cast<float>(radius * std::cos(angle));
    if (n + 1 < out.size()) out[n + 1] = static_cast<float>(radius * std::sin(angle));
  }
}

}  // namespace ramet
