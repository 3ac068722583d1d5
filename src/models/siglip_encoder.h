// The transformer that SigLIP and SigLIP2 share: embedded patches to normalised features, all pictures in one pass.
//
//   h = x + out_proj(attn(LN(x; layer_norm1)));  y = h + fc2(gelu_tanh(fc1(LN(h; layer_norm2))))     per block
//   features = LN(y; post_layernorm)
//
// Every patch attends to all patches of its own picture and to no other; no positions, no mask.
// x, y, features [patches, hidden_size].  Source: spec gr00t-n1.6, section 4.2; spec gr00t-n1.5, section 6.
#pragma once

#include "program/recorder.h"
#include "weights/claims.h"

#include <span>
#include <vector>

namespace ramet {

struct SiglipConfig {
  int64_t hidden_size = 0;
  int64_t num_heads = 0;
  int64_t intermediate_size = 0;
  int64_t depth = 0;
  float eps = 1e-6F;
};

class SiglipAttention {
 public:
  SiglipAttention(const WeightScope& scope, const SiglipConfig& config);
  Value record(Recorder& rec, Value x, std::span<const ops::AttentionSegment> segments) const;

 private:
  int64_t num_heads_;
  float scale_;
  LinearWeights q_proj_, k_proj_, v_proj_, out_proj_;
};

class SiglipBlock {
 public:
  SiglipBlock(const WeightScope& scope, const SiglipConfig& config);
  Value record(Recorder& rec, Value x, std::span<const ops::AttentionSegment> segments) const;

 private:
  float eps_;
  NormWeights layer_norm1_, layer_norm2_;
  SiglipAttention self_attn_;
  LinearWeights fc1_, fc2_;
};

class SiglipEncoder {
 public:
  // `scope` is the vision model, which holds encoder.layers and post_layernorm.
  SiglipEncoder(const WeightScope& scope, const SiglipConfig& config);

  // One segment per picture.
  Value record(Recorder& rec, Value x, std::span<const ops::AttentionSegment> segments) const;

  const SiglipConfig& config() const { return config_; }

 private:
  SiglipConfig config_;
  std::vector<SiglipBlock> layers_;
  NormWeights post_layernorm_;
};

// The attention-pooling head, which no policy evaluates.
void ignore_pooling_head(WeightClaims& claims, const WeightScope& vision_model);

}  // namespace ramet
