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
// Scores, maximum, exponentials in float32; the sum of exponentials in double; sums in ascending order.
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
