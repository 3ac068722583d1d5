#include "ops/norm.h"
#include "ops/operand.h"
#include "ops/row_norm.h"

namespace ramet::ops {
namespace {

void run_rows(Stream& stream, const RowNorm& norm, ConstView x, View y) {
  const NormalizeRow normalize = normalize_row(stream.isa);
  for_each_row(stream, x.shape(),
               [&](int64_t r) { normalize(norm, row_of<float>(x, r), x.shape().cols(), row_of(y, r)); });
}

const float* floats(Operands in, size_t i) { return i < in.size() ? in[i].data<float>() : nullptr; }

}  // namespace

void LayerNorm::run(Stream& stream, Operands in, View y) const {
  const RowNorm norm{.kind = RowNorm::Kind::layer, .eps = eps, .scale = floats(in, 1), .shift = floats(in, 2)};
  run_rows(stream, norm, in[0], y);
}

void AdaLayerNorm::run(Stream& stream, Operands in, View y) const {
  const RowNorm norm{
      .kind = RowNorm::Kind::layer, .eps = eps, .scale = floats(in, 1), .shift = floats(in, 2), .one_plus_scale = true};
  run_rows(stream, norm, in[0], y);
}

void RmsNorm::run(Stream& stream, Operands in, View y) const {
  run_rows(stream, {.kind = RowNorm::Kind::rms, .eps = eps, .scale = floats(in, 1)}, in[0], y);
}

}  // namespace ramet::ops
