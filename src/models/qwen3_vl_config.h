// Sizes of a Qwen3-VL / Qwen3.5 model as its config.json states them.
//
// A missing key is an error that names it: the class defaults of the original code fit no released model.
// Source: spec qwen3-vl, section 1.
#pragma once

#include "base/json.h"

#include <optional>
#include <string_view>
#include <vector>

namespace ramet {

struct QwenVisionConfig {
  int64_t depth = 0;  // blocks
  int64_t hidden_size = 0;
  int64_t num_heads = 0;
  int64_t intermediate_size = 0;
  int64_t out_hidden_size = 0;          // width of a merged token: hidden_size of the text model
  int64_t num_position_embeddings = 0;  // a square grid
  int64_t in_channels = 3;
  int64_t patch_size = 16;
  int64_t temporal_patch_size = 2;
  int64_t spatial_merge_size = 2;
  std::vector<int64_t> deepstack_visual_indexes;  // 0-based block numbers, ascending
  double rope_theta = 10000;
  bool rope_bf16 = false;  // frequencies, positions, angles, cos and sin rounded to bf16: the live reference's rounding

  int64_t head_dim() const { return hidden_size / num_heads; }
  int64_t patch_width() const { return in_channels * temporal_patch_size * patch_size * patch_size; }
  int64_t merge_rows() const { return spatial_merge_size * spatial_merge_size; }  // patches of one token
  int64_t position_side() const;
};

struct Qwen3TextConfig {
  int64_t num_hidden_layers = 0;
  int64_t hidden_size = 0;
  int64_t num_attention_heads = 0;
  int64_t num_key_value_heads = 0;
  int64_t head_dim = 0;
  int64_t intermediate_size = 0;
  int64_t vocab_size = 0;
  double rms_norm_eps = 1e-6;
  double rope_theta = 0;
  std::vector<int64_t> mrope_section;  // frequencies of time, height, width
  bool tie_word_embeddings = false;
  bool rope_bf16 = false;  // frequencies rounded to bf16: the live reference's rounding
};

struct Qwen3VlConfig {
  std::string model_type;
  QwenVisionConfig vision;
  std::optional<Qwen3TextConfig> text;  // absent for models of which only the tower is supported (MoE, Qwen3.5)
  int64_t image_token_id = 0;
  int64_t video_token_id = 0;
  int64_t vision_start_token_id = 0;
  int64_t vision_end_token_id = 0;
};

Result<Qwen3VlConfig> parse_qwen3_vl_config(const Json& root);

// Models whose config is published; of the MoE and Qwen3.5 models the tower alone.  Source: spec qwen3-vl, section 1.
struct PublishedModel {
  std::string_view name;
  Qwen3VlConfig config;
};
std::vector<PublishedModel> published_qwen3_vl_models();

// The published config of a model by name ("nvidia/Cosmos-Reason2-2B", "Qwen/Qwen3-VL-8B-Instruct", ...).
std::optional<Qwen3VlConfig> published_qwen3_vl_config(std::string_view model_name);

}  // namespace ramet
