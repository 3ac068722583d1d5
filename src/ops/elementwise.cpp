#include "ops/elementwise.h"

#include "ops/operand.h"

namespace ramet::ops {
namespace {

Shape check_pair(Operands in) {
  require_count(in, 2);
  require_f32(in[0]);
  require_f32(in[1], in[0].shape());
  return in[0].shape();
}

}  // namespace

Shape Activation::output_shape(Operands in) const {
  require_count(in, 1);
  require_f32(in[0]);
  return in[0].shape();
}

Shape Binary::output_shape(Operands in) const { return check_pair(in); }

Shape AddScaled::output_shape(Operands in) const { return check_pair(in); }

Shape Widen::output_shape(Operands in) const {
  require_count(in, 1);
  RAMET_ASSERT(in[0].is_dense(), str(in[0].shape()));
  return in[0].shape();
}

}  // namespace ramet::ops
