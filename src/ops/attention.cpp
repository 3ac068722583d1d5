#include "ops/attention.h"

#include "ops/operand.h"

namespace ramet::ops {
namespace {

void check_segment(const AttentionSegment& segment, int64_t q_begin, int64_t k_tokens, bool causal) {
  const auto [q0, q1, k0, k1] = segment;
  RAMET_ASSERT(q0 == q_begin && q0 < q1, q0, q1, q_begin);
  RAMET_ASSERT(0 <= k0 && k0 < k1 && k1 <= k_tokens, k0, k1, k_tokens);
  RAMET_ASSERT(!causal || q1 - q0 == k1 - k0, q0, q1, k0, k1);
}

}  // namespace

Shape Attention::output_shape(Operands in) const {
  require_count(in, 3);
  const Shape& q = in[0].shape();
  const Shape& k = in[1].shape();
  for (const ConstView& operand : in) {
    require_f32(operand);
    require_rank(operand, 3);
  }
  RAMET_ASSERT(in[2].shape() == k, str(in[2].shape()), str(k));
  RAMET_ASSERT(q[2] == k[2] && k[1] > 0 && q[1] % k[1] == 0, str(q), str(k));
  int64_t q_begin = 0;
  for (const AttentionSegment& segment : segments) {
    check_segment(segment, q_begin, k[0], causal);
    q_begin = segment.q_end;
  }
  RAMET_ASSERT(q_begin == q[0], q_begin, q[0]);
  return {q[0], q[1] * q[2]};
}

}  // namespace ramet::ops
