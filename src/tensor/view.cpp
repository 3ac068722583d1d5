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

bool is_dense(const Shape& shape, const Strides& strides) {
  const Strides dense = dense_strides(shape);
  for (int axis = 0; axis < shape.rank(); ++axis)
    if (const auto i = static_cast<size_t>(axis); shape[axis] != 1 && strides[i] != dense[i]) return false;
  return true;
}

}  // namespace ramet
