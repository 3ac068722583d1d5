// The diffusion transformer of the action head.
//
//   temb = linear_2(silu(linear_1([cos(t w) | sin(t w)])))                      one per denoising step
//   z = z + attn1(LN(z) * (1 + scale) + shift)    [scale | shift] = norm1.linear(silu(temb))
//   z = z + ff(LN(z))                                                           per block
//   y = proj_out_2(LN(z) * (1 + scale) + shift)   [shift | scale] = proj_out_1(silu(temb))
//
// Even blocks attend to the backbone's rows, odd ones to z itself. The rows an even block reads alternate between text
// and pictures. What does not change between steps (keys of the backbone's rows) or between calls (modulations) is
// recorded once.
//
// z [rows, inner_dim]; y [rows, output_dim].  Source: spec gr00t-n1.7, section 5.
#pragma once

#include "models/transformer.h"

#include <array>
#include <string>
#include <vector>

namespace ramet {

struct DitConfig {
  int64_t num_layers = 0;
  int64_t num_attention_heads = 0;
  int64_t attention_head_dim = 0;
  int64_t output_dim = 0;
  int64_t cross_attention_dim = 0;         // width of the backbone's rows
  bool alternate_text_and_image = true;    // else every even block reads all rows
  int64_t attend_text_every_n_blocks = 2;  // of the even blocks, every n-th reads text
  int64_t inner_dim() const { return num_attention_heads * attention_head_dim; }
};

// Rows of the backbone by kind; what is neither is padding.
struct ContextRows {
  std::vector<int64_t> text, image;
};

class DitBlock {
 public:
  DitBlock(const WeightScope& scope, const DitConfig& config, bool is_cross);

  // What a block needs besides z in step s.
  struct Prepared {
    std::vector<Value> scale, shift;  // by step
    CrossAttention::Keys keys;        // of cross blocks
  };
  Prepared prepare(Recorder& rec, Value silu_temb, Value context) const;
  Value record(Recorder& rec, Value z, const Prepared& prepared, size_t step) const;

 private:
  bool is_cross_;
  LinearWeights modulation_;
  CrossAttention attn1_;
  FeedForward ff_;
};

class Dit {
 public:
  Dit(const WeightScope& scope, const DitConfig& config);

  struct Prepared {
    std::vector<DitBlock::Prepared> blocks;
    std::vector<Value> scale, shift;  // of the output, by step
  };
  // `timesteps`: the bucket of each denoising step; `context` [tokens, cross_attention_dim].
  Prepared prepare(Recorder& rec, const std::vector<int64_t>& timesteps, Value context, const ContextRows& rows) const;
  Value record(Recorder& rec, Value z, const Prepared& prepared, size_t step) const;

  const DitConfig& config() const { return config_; }

 private:
  Value record_silu_temb(Recorder& rec, const std::vector<int64_t>& timesteps) const;
  std::array<Value, 3> record_contexts(Recorder& rec, Value context, const ContextRows& rows) const;
  size_t context_kind(size_t block) const;

  DitConfig config_;
  LinearWeights linear_1_, linear_2_, proj_out_1_, proj_out_2_;
  std::vector<DitBlock> blocks_;
};

}  // namespace ramet
