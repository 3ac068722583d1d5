#include "ops/operand.h"
#include "ops/rows.h"

namespace ramet::ops {
namespace {

int64_t selected(const ConstView& index, int64_t i, [[maybe_unused]] int64_t rows) {
  const int64_t row = index.flat<int64_t>()[static_cast<size_t>(i)];
  RAMET_DASSERT(0 <= row && row < rows, row, rows);
  return row;
}

void copy_rows(Stream& stream, ConstView x, float* y, int64_t y_stride) {
  for_each_row(stream, x.shape(),
               [&](int64_t r) { std::copy_n(row_of<float>(x, r), x.shape().cols(), y + r * y_stride); });
}

}  // namespace

void GatherRows::reference(Stream& stream, Operands in, View y) const {
  const ConstView& table = in[0];
  const size_t cols = static_cast<size_t>(y.shape().cols());
  for_each_row(stream, y.shape(), [&](int64_t i) {
    widen_row(table, selected(in[1], i, table.shape()[0]), 0, {row_of(y, i), cols});
  });
}

void InterpolateRows::reference(Stream& stream, Operands in, View y) const {
  constexpr int64_t kPiece = 256;  // columns widened at a time
  const ConstView& table = in[0];
  const int64_t cols = y.shape().cols();
  for_each_row(stream, y.shape(), [&](int64_t i) {
    const float* w = row_of<float>(in[2], i);
    std::array<std::array<float, kPiece>, 4> t;
    for (int64_t begin = 0; begin < cols; begin += kPiece) {
      const size_t width = static_cast<size_t>(std::min(kPiece, cols - begin));
      for (size_t corner = 0; corner < 4; ++corner) {
        const int64_t row = selected(in[1], 4 * i + static_cast<int64_t>(corner), table.shape()[0]);
        widen_row(table, row, begin, {t[corner].data(), width});
      }
      float* out = row_of(y, i) + begin;
      for (size_t c = 0; c < width; ++c) out[c] = ((w[0] * t[0][c] + w[1] * t[1][c]) + w[2] * t[2][c]) + w[3] * t[3][c];
    }
  });
}

void ScatterRows::reference(Stream& stream, Operands in, View y) const {
  const int64_t cols = y.shape().cols();
  copy_rows(stream, in[0], y.data<float>(), cols);
  for_each_row(stream, in[1].shape(), [&](int64_t i) {
    const float* row = row_of<float>(in[1], i);
    float* out = row_of(y, selected(in[2], i, y.shape()[0]));
    for (int64_t c = 0; c < cols; ++c) out[c] = mode == Mode::add ? out[c] + row[c] : row[c];
  });
}

void Concat::reference(Stream& stream, Operands in, View y) const {
  float* out = y.data<float>();
  for (const ConstView& operand : in) {
    copy_rows(stream, operand, out, y.shape().cols());
    out += axis == 0 ? operand.shape().elements() : operand.shape().cols();
  }
}

}  // namespace ramet::ops
