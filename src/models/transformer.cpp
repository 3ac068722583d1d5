#include "models/transformer.h"

#include "models/layers.h"

#include <cmath>

namespace ramet {

CrossAttention::CrossAttention(const WeightScope& scope, const AttentionSizes& sizes)
    : sizes_(sizes),
      to_q_(claim_linear(scope, "to_q", sizes.query_dim, sizes.inner_dim())),
      to_k_(claim_linear(scope, "to_k", sizes.kv_dim, sizes.inner_dim())),
      to_v_(claim_linear(scope, "to_v", sizes.kv_dim, sizes.inner_dim())),
      to_out_(claim_linear(scope, "to_out.0", sizes.inner_dim(), sizes.query_dim)) {}

CrossAttention::Keys CrossAttention::record_keys(Recorder& rec, Value context) const {
  return {.k = rec.linear(context, to_k_), .v = rec.linear(context, to_v_)};
}

Value CrossAttention::record(Recorder& rec, Value x, const Keys& keys) const {
  const auto heads = [&](Value value) { return rec.heads(value, sizes_.num_heads); };
  const int64_t rows = rec.shape(x)[0], context_rows = rec.shape(keys.k)[0];
  const ops::Attention attributes{.scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(sizes_.head_dim))),
                                  .causal = false,
                                  .segments = {{0, rows, 0, context_rows}}};
  const Value q = heads(rec.linear(x, to_q_));
  return rec.linear(rec.attention(q, heads(keys.k), heads(keys.v), attributes), to_out_);
}

FeedForward::FeedForward(const WeightScope& scope, int64_t dim)
    : proj_(claim_linear(scope, "net.0.proj", dim, 4 * dim)), out_(claim_linear(scope, "net.2", 4 * dim, dim)) {}

Value FeedForward::record(Recorder& rec, Value x) const {
  return rec.linear(rec.gelu_tanh(rec.linear(x, proj_)), out_);
}

}  // namespace ramet
