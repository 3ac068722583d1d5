// Parts that the action heads of all GR00T versions share, under the names of diffusers' transformer blocks.
#pragma once

#include "program/recorder.h"
#include "weights/claims.h"

namespace ramet {

struct AttentionSizes {
  int64_t query_dim;  // width of the rows that ask, and of the result
  int64_t kv_dim;     // width of the rows that are read
  int64_t num_heads;
  int64_t head_dim;
  int64_t inner_dim() const { return num_heads * head_dim; }
};

// attn1: to_out.0(softmax(to_q(x) to_k(c)^T / sqrt(head_dim)) to_v(c)), every row sees every row of c.
class CrossAttention {
 public:
  CrossAttention(const WeightScope& scope, const AttentionSizes& sizes);

  struct Keys {
    Value k, v;  // [rows, inner_dim]
  };
  Keys record_keys(Recorder& rec, Value context) const;
  Value record(Recorder& rec, Value x, const Keys& keys) const;
  Value record_self(Recorder& rec, Value x) const { return record(rec, x, record_keys(rec, x)); }

 private:
  AttentionSizes sizes_;
  LinearWeights to_q_, to_k_, to_v_, to_out_;
};

// ff: net.2(gelu_tanh(net.0.proj(x))), four times as wide inside
class FeedForward {
 public:
  FeedForward(const WeightScope& scope, int64_t dim);
  Value record(Recorder& rec, Value x) const;

 private:
  LinearWeights proj_, out_;
};

}  // namespace ramet
