#include "ops/operand.h"
#include "ops/rope.h"

namespace ramet::ops {

void Rope::reference(Stream& stream, Operands in, View y) const {
  const int64_t heads = y.shape()[1];
  const int64_t half = y.shape()[2] / 2;
  for_each_row(stream, y.shape(), [&](int64_t r) {
    const float* x = row_of<float>(in[0], r);
    const float* cos = in[1].row<float>(r / heads);
    const float* sin = in[2].row<float>(r / heads);
    float* out = row_of(y, r);
    for (int64_t j = 0; j < half; ++j) {
      out[j] = x[j] * cos[j] - x[j + half] * sin[j];
      out[j + half] = x[j + half] * cos[j] + x[j] * sin[j];
    }
  });
}

}  // namespace ramet::ops
