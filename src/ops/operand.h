// Operands of ops: checks, rows by number, loops over rows.
//
// A row is what lies along the last dimension; all other dimensions together count the rows.
#pragma once

#include "ops/op.h"

#include <algorithm>

namespace ramet::ops {

void require_count(Operands in, size_t count);
void require_f32(ConstView view);
void require_f32(ConstView view, const Shape& shape);
void require_rank(ConstView view, int rank);
void require_weights(ConstView view);  // a matrix of float32, bf16 or f16
void require_index(ConstView view, const Shape& shape);

// Elements between the start of the view and its row `r`.
int64_t row_offset(const ConstView& view, int64_t r);

template <class T>
const T* row_of(const ConstView& view, int64_t r) {
  return view.data<T>() + row_offset(view, r);
}
inline float* row_of(const View& y, int64_t r) { return y.data<float>() + r * y.shape().cols(); }  // y is dense

// y = float32 of row `r`, or of its columns from `begin` on.
void widen_row(const ConstView& view, int64_t r, int64_t begin, std::span<float> out);

constexpr int64_t div_up(int64_t a, int64_t b) { return (a + b - 1) / b; }
constexpr int64_t aligned(int64_t bytes) { return div_up(bytes, 64) * 64; }  // to cache lines

// Calls body(r) once for each row of `shape`; threads take groups of some thousand elements.
template <class Body>
void for_each_row(Stream& stream, const Shape& shape, const Body& body) {
  constexpr int64_t kGroupElements = 8192;
  const int64_t rows = shape.rows();
  const int64_t group = std::max<int64_t>(1, kGroupElements / std::max<int64_t>(1, shape.cols()));
  stream.pool.run(div_up(rows, group), [&](int64_t item) {
    for (int64_t r = item * group; r < std::min(rows, (item + 1) * group); ++r) body(r);
  });
}

}  // namespace ramet::ops
