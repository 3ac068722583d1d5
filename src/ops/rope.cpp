#include "ops/rope.h"

#include "ops/operand.h"

namespace ramet::ops {

Shape Rope::output_shape(Operands in) const {
  require_count(in, 3);
  require_f32(in[0]);
  require_rank(in[0], 3);
  const Shape& x = in[0].shape();
  RAMET_ASSERT(x[2] % 2 == 0, str(x));
  const Shape table{x[0], x[2] / 2};
  require_f32(in[1], table);
  require_f32(in[2], table);
  return x;
}

}  // namespace ramet::ops
