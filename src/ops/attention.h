// attention: softmax(q k^T scale) v, head by head, inside segments.
//
//   y[t, h*head_dim + j] = sum_s p[s] v[s, g, j]       p = softmax over s of (q[t,h] . k[s,g]) * scale
//   g = h / (num_heads / num_kv_heads)                 grouped-query attention
//
// q        [q_tokens, num_heads, head_dim]     float32, may be strided
// k, v     [k_tokens, num_kv_heads, head_dim]  float32, may be strided
// y        [q_tokens, num_heads * head_dim]    float32
//
// Rows q_begin..q_end of a segment see exactly the rows k_begin..k_end of theirs; segments cover q in order, once. With
// `causal`, row q_begin + i sees no key after k_begin + i (both parts have one length).
// In float32: scores (summed like linear, then times scale), their maximum over the keys a row sees, p = exp(score -
// max). y = (sum p v) / (sum p): the numerator summed over keys like linear, the denominator in ascending order in
// double, the quotient in double, rounded once.
#pragma once

#include "ops/op.h"

#include <vector>

namespace ramet::ops {

struct AttentionSegment {
  int64_t q_begin, q_end, k_begin, k_end;
};

struct Attention {
  static constexpr std::string_view kName = "attention";
  float scale;
  bool causal;
  std::vector<AttentionSegment> segments;

  Shape output_shape(Operands in) const;
  int64_t scratch_bytes(Operands in, int threads) const;
  void reference(Stream& stream, Operands in, View y) const;
};

}  // namespace ramet::ops
