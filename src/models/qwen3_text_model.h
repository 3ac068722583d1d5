// The Qwen3 text stack with multimodal rotary positions, image rows and deepstack: token ids to hidden states
// (prefill).
//
//   h = embed[ids], image rows replaced
//   h = h + o_proj(attn(rms(h)));  h = h + down(silu(gate(u)) * up(u)), u = rms(h)      layer l
//   h[image rows] += F_l                                                               after layer l < levels
//
// Source: spec qwen3-vl, section 5; spec gr00t-n1.7, section 4.3.
#pragma once

#include "models/qwen3_vl_config.h"
#include "program/recorder.h"
#include "weights/claims.h"

#include <array>
#include <vector>

namespace ramet {

// Positions of every token on the axes time, height, width; and what stands where the pictures are.
struct TextLayout {
  std::array<std::vector<int64_t>, 3> positions;
  std::vector<int64_t> visual_rows;  // tokens that are replaced by rows of the tower, in order
  int64_t tokens() const { return static_cast<int64_t>(positions[0].size()); }
  friend bool operator==(const TextLayout&, const TextLayout&) = default;
};

struct VisualRows {
  Value merged;  // [visual rows, hidden_size]; invalid: a prompt without pictures
  std::vector<Value> deepstack;
};

class TextAttention {
 public:
  TextAttention(const WeightScope& scope, const Qwen3TextConfig& config);
  Value record(Recorder& rec, Value x, Value cos, Value sin) const;

 private:
  Qwen3TextConfig config_;
  LinearWeights q_proj_, k_proj_, v_proj_, o_proj_;
  Weight q_norm_, k_norm_;
};

class TextLayer {
 public:
  TextLayer(const WeightScope& scope, const Qwen3TextConfig& config);
  Value record(Recorder& rec, Value x, Value cos, Value sin) const;

 private:
  Value record_mlp(Recorder& rec, Value u) const;

  float eps_;
  Weight input_layernorm_, post_attention_layernorm_;
  TextAttention self_attn_;
  LinearWeights gate_proj_, up_proj_, down_proj_;
};

class Qwen3TextModel {
 public:
  Qwen3TextModel(const WeightScope& scope, const Qwen3TextConfig& config);
  // With its token table, `embed_tokens`.weight, elsewhere.
  Qwen3TextModel(const WeightScope& scope, const WeightScope& embed_tokens, const Qwen3TextConfig& config);

  // Hidden states after the last layer, before any final norm.     [tokens, hidden_size]
  Value record(Recorder& rec, Value input_ids, const TextLayout& layout, const VisualRows& visual) const;

  const Qwen3TextConfig& config() const { return config_; }
  const Weight& embed_tokens() const { return embed_tokens_; }

 private:
  Qwen3TextConfig config_;
  Weight embed_tokens_;
  std::vector<TextLayer> layers_;
};

}  // namespace ramet
