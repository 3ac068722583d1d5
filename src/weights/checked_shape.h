// Shapes from files, checked before they become a Shape.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

namespace ramet {

// The number of elements. Nothing when a dimension is negative, or when the product overflows with zeros counted as
// ones: then strides would overflow too.
inline std::optional<int64_t> checked_elements(std::span<const int64_t> dims) {
  int64_t product = 1;
  for (const int64_t dim : dims)
    if (dim < 0 || __builtin_mul_overflow(product, std::max<int64_t>(dim, 1), &product)) return std::nullopt;
  return std::ranges::find(dims, 0) == dims.end() ? product : 0;
}

}  // namespace ramet
