#include "ops/linear.h"

#include "ops/operand.h"

namespace ramet::ops {

Shape Linear::output_shape(Operands in) const {
  RAMET_ASSERT(in.size() == 2 || in.size() == 3, in.size());
  const ConstView& x = in[0];
  const ConstView& w = in[1];
  require_f32(x);
  require_weights(w);
  const int64_t in_features = w.shape()[layout == Layout::out_in ? 1 : 0];
  const int64_t out_features = w.shape()[layout == Layout::out_in ? 0 : 1];
  RAMET_ASSERT(x.shape().rank() >= 1 && x.shape().cols() == in_features, str(x.shape()), str(w.shape()));
  RAMET_ASSERT(in_features % (copies.count * copies.width) == 0, in_features, copies.count, copies.width);
  if (in.size() == 3) require_f32(in[2], Shape{out_features});

  std::array<int64_t, Shape::kMaxRank> dims{};
  std::ranges::copy(x.shape().dims(), dims.begin());
  dims[static_cast<size_t>(x.shape().rank() - 1)] = out_features;
  return Shape(std::span<const int64_t>(dims.data(), static_cast<size_t>(x.shape().rank())));
}

}  // namespace ramet::ops
