#include "ops/norm.h"

#include "ops/operand.h"

namespace ramet::ops {
namespace {

Shape check_rows(ConstView x, Operands vectors) {
  require_f32(x);
  RAMET_ASSERT(x.shape().rank() >= 1 && x.shape().cols() > 0, str(x.shape()));
  for (const ConstView& vector : vectors) require_f32(vector, Shape{x.shape().cols()});
  return x.shape();
}

}  // namespace

Shape LayerNorm::output_shape(Operands in) const {
  RAMET_ASSERT(in.size() == 1 || in.size() == 3, in.size());
  return check_rows(in[0], in.subspan(1));
}

Shape AdaLayerNorm::output_shape(Operands in) const {
  require_count(in, 3);
  return check_rows(in[0], in.subspan(1));
}

Shape RmsNorm::output_shape(Operands in) const {
  require_count(in, 2);
  return check_rows(in[0], in.subspan(1));
}

}  // namespace ramet::ops
