#include "models/rotary.h"

#include "tensor/dtype.h"

#include <cmath>

namespace ramet {
namespace {

float inverse_frequency(int64_t i, int64_t frequencies, double theta, RotaryRounding rounding) {
  const double exponent = -static_cast<double>(i) / static_cast<double>(frequencies);
  const auto exact = static_cast<float>(std::pow(theta, exponent));
  return rounding == RotaryRounding::bf16 ? bf16_to_f32(f32_to_bf16(exact)) : exact;
}

}  // namespace

int mrope_axis(int64_t frequency, const std::vector<int64_t>& section) {
  const int64_t axis = frequency % 3;
  return axis != 0 && frequency < 3 * section[static_cast<size_t>(axis)] ? static_cast<int>(axis) : 0;
}

RotaryTables mrope_tables(const std::array<std::vector<int64_t>, 3>& positions, int64_t head_dim, double theta,
                          const std::vector<int64_t>& section, RotaryRounding rounding) {
  RotaryTables tables;
  const int64_t frequencies = head_dim / 2;
  for (size_t t = 0; t < positions[0].size(); ++t)
    for (int64_t i = 0; i < frequencies; ++i) {
      const auto axis = static_cast<size_t>(mrope_axis(i, section));
      const float angle = static_cast<float>(positions[axis][t]) * inverse_frequency(i, frequencies, theta, rounding);
      tables.cos.push_back(std::cos(angle));
      tables.sin.push_back(std::sin(angle));
    }
  return tables;
}

}  // namespace ramet
