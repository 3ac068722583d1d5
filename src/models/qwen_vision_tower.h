// The vision tower of Qwen3-VL, Qwen3.5 and GR00T N1.7: patch rows to merged tokens and deepstack rows.
//
//   X = pixels W^T + b + positions
//   X = block(X)           for every block; after block deepstack_visual_indexes[k]:  F_k = deepstack_merger[k](X)
//   out = merger(X)
//
// pixels [patches, 3 * temporal_patch * patch * patch]; out and F_k [patches / 4, out_hidden_size].
// With Frames::repeated the columns of all frames of a group must be alike.
// Source: spec qwen3-vl, section 3.
#pragma once

#include "models/patch_grid.h"
#include "models/qwen3_vl_config.h"
#include "program/recorder.h"
#include "weights/claims.h"

#include <string>
#include <vector>

namespace ramet {

// What all blocks of one recording share.
struct VisionContext {
  Value cos, sin;  // [patches, head_dim / 2]
  std::vector<ops::AttentionSegment> segments;
};

class VisionAttention {
 public:
  VisionAttention(const WeightScope& scope, const QwenVisionConfig& config);
  Value record(Recorder& rec, Value x, const VisionContext& context) const;

 private:
  int64_t hidden_size_, num_heads_;
  LinearWeights qkv_, proj_;
};

class VisionMlp {
 public:
  VisionMlp(const WeightScope& scope, const QwenVisionConfig& config);
  Value record(Recorder& rec, Value x) const;

 private:
  LinearWeights linear_fc1_, linear_fc2_;
};

class VisionBlock {
 public:
  VisionBlock(const WeightScope& scope, const QwenVisionConfig& config);
  Value record(Recorder& rec, Value x, const VisionContext& context) const;

 private:
  NormWeights norm1_, norm2_;
  VisionAttention attn_;
  VisionMlp mlp_;
};

// Four rows become one token. The final merger normalises each patch before the fold, a deepstack merger the folded
// row.
class PatchMerger {
 public:
  enum class NormAt { patch, folded };
  PatchMerger(const WeightScope& scope, const QwenVisionConfig& config, NormAt norm_at);
  Value record(Recorder& rec, Value x) const;

 private:
  int64_t hidden_size_, merge_rows_;
  NormAt norm_at_;
  NormWeights norm_;
  LinearWeights linear_fc1_, linear_fc2_;
};

class QwenVisionTower {
 public:
  QwenVisionTower(const WeightScope& scope, const QwenVisionConfig& config);

  struct Output {
    Value merged;
    std::vector<Value> deepstack;
  };
  Output record(Recorder& rec, Value pixels, std::span<const Grid> grids, Frames frames) const;

  const QwenVisionConfig& config() const { return config_; }

 private:
  Value record_patch_embed(Recorder& rec, Value pixels, std::span<const PatchCoordinate> patches, Frames frames) const;
  VisionContext record_context(Recorder& rec, std::span<const PatchCoordinate> patches,
                               std::span<const Grid> grids) const;

  QwenVisionConfig config_;
  LinearWeights patch_embed_;  // [hidden_size, in_channels * temporal * patch * patch]
  Weight pos_embed_;           // [num_position_embeddings, hidden_size]
  std::vector<VisionBlock> blocks_;
  PatchMerger merger_;
  std::vector<PatchMerger> deepstack_mergers_;
};

}  // namespace ramet
