#include "tensor/shape.h"

#include "base/assert.h"

#include <fmt/format.h>

#include <algorithm>

namespace ramet {

Shape::Shape(std::span<const int64_t> dims) {
  RAMET_ASSERT(dims.size() <= kMaxRank, dims.size());
  for (const int64_t dim : dims) RAMET_ASSERT(dim >= 0, dim);
  rank_ = static_cast<int>(dims.size());
  std::copy(dims.begin(), dims.end(), dims_.begin());
}

int64_t Shape::elements() const {
  int64_t product = 1;
  for (const int64_t dim : dims()) product *= dim;
  return product;
}

int64_t Shape::rows() const { return cols() == 0 ? 0 : elements() / cols(); }

std::string str(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape.dims(), ",")); }

}  // namespace ramet
