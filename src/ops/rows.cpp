#include "ops/rows.h"

#include "ops/operand.h"

namespace ramet::ops {

Shape GatherRows::output_shape(Operands in) const {
  require_count(in, 2);
  require_weights(in[0]);
  require_rank(in[1], 1);
  const int64_t count = in[1].shape()[0];
  require_index(in[1], Shape{count});
  return {count, in[0].shape()[1]};
}

Shape InterpolateRows::output_shape(Operands in) const {
  require_count(in, 3);
  require_weights(in[0]);
  require_rank(in[1], 2);
  const Shape corners{in[1].shape()[0], 4};
  require_index(in[1], corners);
  require_f32(in[2], corners);
  return {corners[0], in[0].shape()[1]};
}

Shape ScatterRows::output_shape(Operands in) const {
  require_count(in, 3);
  require_f32(in[0]);
  require_rank(in[0], 2);
  require_rank(in[2], 1);
  const int64_t count = in[2].shape()[0];
  require_f32(in[1], Shape{count, in[0].shape()[1]});
  require_index(in[2], Shape{count});
  return in[0].shape();
}

Shape Concat::output_shape(Operands in) const {
  RAMET_ASSERT(!in.empty() && (axis == 0 || axis == 1), in.size(), axis);
  int64_t length = 0;
  for (const ConstView& operand : in) {
    require_f32(operand);
    require_rank(operand, 2);
    RAMET_ASSERT(operand.shape()[1 - axis] == in[0].shape()[1 - axis], str(operand.shape()), str(in[0].shape()));
    length += operand.shape()[axis];
  }
  return axis == 0 ? Shape{length, in[0].shape()[1]} : Shape{in[0].shape()[0], length};
}

}  // namespace ramet::ops
