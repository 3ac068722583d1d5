#include "ops/operand.h"

namespace ramet::ops {

void require_count(Operands in, size_t count) { RAMET_ASSERT(in.size() == count, in.size(), count); }

void require_f32(ConstView view) { RAMET_ASSERT(view.dtype() == DType::f32, name(view.dtype())); }

void require_f32(ConstView view, const Shape& shape) {
  require_f32(view);
  RAMET_ASSERT(view.shape() == shape, str(view.shape()), str(shape));
}

void require_rank(ConstView view, int rank) { RAMET_ASSERT(view.shape().rank() == rank, str(view.shape()), rank); }

void require_weights(ConstView view) {
  require_rank(view, 2);
  const DType dtype = view.dtype();
  RAMET_ASSERT(dtype == DType::f32 || dtype == DType::bf16 || dtype == DType::f16, name(dtype));
}

void require_index(ConstView view, const Shape& shape) {
  RAMET_ASSERT(view.dtype() == DType::i64, name(view.dtype()));
  RAMET_ASSERT(view.shape() == shape, str(view.shape()), str(shape));
  RAMET_ASSERT(view.is_dense());
}

int64_t row_offset(const ConstView& view, int64_t r) {
  if (view.shape().rank() < 2) return 0;
  int64_t offset = 0;
  for (int axis = view.shape().rank() - 2; axis > 0; --axis) {
    offset += r % view.shape()[axis] * view.stride(axis);
    r /= view.shape()[axis];
  }
  return offset + r * view.stride(0);
}

void widen_row(const ConstView& view, int64_t r, int64_t begin, std::span<float> out) {
  widen(view.dtype(), view.bytes() + (row_offset(view, r) + begin) * size_bytes(view.dtype()), out);
}

}  // namespace ramet::ops
