// Between backbone and denoiser: layer norm, then self-attention over all tokens, pictures and text alike.
//
//   x = LN(features; vlln)
//   x = x + attn1(LN(x; norm1));  x = x + ff(LN(x; norm3))        per block; no mask, no positions, no final norm
//
// features, x [tokens, hidden_size].  Source: spec gr00t-n1.7, section 5.
#pragma once

#include "models/transformer.h"

#include <vector>

namespace ramet {

struct VlAdapterConfig {
  int64_t hidden_size = 0;
  bool use_vlln = true;
  int64_t num_layers = 0;  // 0: the stage ends after vlln
  int64_t num_attention_heads = 0;
  int64_t attention_head_dim = 0;
};

class VlSelfAttentionBlock {
 public:
  VlSelfAttentionBlock(const WeightScope& scope, const VlAdapterConfig& config);
  Value record(Recorder& rec, Value x) const;

 private:
  NormWeights norm1_, norm3_;
  CrossAttention attn1_;
  FeedForward ff_;
};

class VlAdapter {
 public:
  VlAdapter(const WeightScope& action_head, const VlAdapterConfig& config);
  Value record(Recorder& rec, Value features) const;

 private:
  VlAdapterConfig config_;
  NormWeights vlln_;
  std::vector<VlSelfAttentionBlock> blocks_;
};

}  // namespace ramet
