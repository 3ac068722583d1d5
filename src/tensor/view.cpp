#include "tensor/view.h"

namespace ramet {

Strides dense_strides(const Shape& shape) {
  Strides strides{};
  int64_t step = 1;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    strides[static_cast<size_t>(axis)] = step;
    step *= shape[axis];
  }
  return strides;
}

}  // namespace ramet
