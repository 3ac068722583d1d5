#include "policy/synth/gr00t_n15_layout.h"

#include "models/gr00t_n15.h"
#include "policy/gr00t_n15_sizes.h"
#include "policy/synth/gr00t_n15_metadata.h"
#include "policy/synth/qwen_layout.h"
#include "policy/synth/siglip_pooling_head.h"

#include <nlohmann/json.hpp>

namespace ramet {
namespace {

using nlohmann::json;

Gr00tN15Backbone published_backbone() {
  return {.embedding = {.hidden_size = 1152, .patch_size = 14, .patches_per_side = 16},
          .vision = {.hidden_size = 1152, .num_heads = 16, .intermediate_size = 4304, .depth = 27},
          .text = {.num_hidden_layers = 12,
                   .hidden_size = 2048,
                   .num_attention_heads = 16,
                   .num_key_value_heads = 8,
                   .head_dim = 128,
                   .intermediate_size = 6144,
                   .vocab_size = 151680,
                   .mrope_section = {}}};
}

// The sizes of the golden case n15_one.
Gr00tN15Backbone tiny_backbone() {
  Gr00tN15Backbone sizes = published_backbone();
  sizes.embedding.hidden_size = 144;
  sizes.vision = {.hidden_size = 144, .num_heads = 2, .intermediate_size = 300, .depth = 2};
  sizes.text.num_hidden_layers = 3;
  sizes.text.hidden_size = 128;
  sizes.text.num_attention_heads = 4;
  sizes.text.num_key_value_heads = 2;
  sizes.text.intermediate_size = 336;
  sizes.text.head_dim = 128;
  return sizes;
}

Gr00tN15Config tiny_config() {
  Gr00tN15Config c;
  c.select_layer = 3;
  c.backbone_embedding_dim = 128;
  c.input_embedding_dim = 192;
  c.hidden_size = c.dit_output_dim = 80;
  c.diffusion_model_cfg = {.num_layers = 4, .num_attention_heads = 4, .attention_head_dim = 48};
  c.vl_self_attention_cfg = {.num_layers = 2, .num_attention_heads = 2, .attention_head_dim = 64};
  return c;
}

json transformer_json(const Gr00tN15Config::Transformer& sizes) {
  return {{"num_layers", sizes.num_layers},
          {"num_attention_heads", sizes.num_attention_heads},
          {"attention_head_dim", sizes.attention_head_dim},
          {"dropout", 0.2},
          {"final_dropout", true},
          {"positional_embeddings", nullptr}};
}

json action_head_json(const Gr00tN15Config& c) {
  json dit = transformer_json(c.diffusion_model_cfg);
  dit["cross_attention_dim"] = c.backbone_embedding_dim;
  dit["interleave_self_attention"] = true;
  dit["norm_type"] = "ada_norm";
  dit["output_dim"] = c.dit_output_dim;
  return {{"action_dim", c.max_action_dim},
          {"action_horizon", c.action_horizon},
          {"add_pos_embed", c.add_pos_embed},
          {"backbone_embedding_dim", c.backbone_embedding_dim},
          {"diffusion_model_cfg", dit},
          {"hidden_size", c.hidden_size},
          {"input_embedding_dim", c.input_embedding_dim},
          {"max_action_dim", c.max_action_dim},
          {"max_state_dim", c.max_state_dim},
          {"num_inference_timesteps", c.num_inference_timesteps},
          {"num_target_vision_tokens", c.num_target_vision_tokens},
          {"num_timestep_buckets", c.num_timestep_buckets},
          {"use_vlln", c.use_vlln},
          {"vl_self_attention_cfg", transformer_json(c.vl_self_attention_cfg)}};
}

json config_json(const Gr00tN15Config& c) {
  return {
      {"action_dim", c.max_action_dim},
      {"action_head_cfg", action_head_json(c)},
      {"action_horizon", c.action_horizon},
      {"architectures", {"GR00T_N1_5"}},
      {"backbone_cfg", {{"project_to_dim", nullptr}, {"reproject_vision", false}, {"select_layer", c.select_layer}}},
      {"hidden_size", c.backbone_embedding_dim},
      {"model_type", "gr00t_n1_5"},
      {"torch_dtype", "bfloat16"}};
}

std::vector<TensorSpec> tensors(const Gr00tN15Config& config, const Gr00tN15Backbone& backbone) {
  const Gr00tN15Stored stored{.vl_self_attention_blocks = config.vl_self_attention_cfg.num_layers,
                              .dit_blocks = config.diffusion_model_cfg.num_layers,
                              .slots = 32,
                              .position_rows = 1024,
                              .future_tokens = config.num_target_vision_tokens};
  const Checkpoint none;
  WeightClaims claims(none);
  Gr00tN15Model(claims, gr00t_n15_sizes(config, backbone, stored, config.action_horizon));
  std::vector<TensorSpec> list = claimed_tensors(claims);
  const std::vector<TensorSpec> head =
      siglip_pooling_head("backbone.eagle_model.vision_model.vision_model.head.", backbone.vision.hidden_size,
                          backbone.vision.intermediate_size);
  list.insert(list.end(), head.begin(), head.end());
  list.push_back({"backbone.eagle_model.language_model.lm_head.weight",
                  DType::bf16,
                  {backbone.text.vocab_size, backbone.text.hidden_size}});
  return list;
}

std::string text(const json& document) { return document.dump(2) + "\n"; }

}  // namespace

SynthLayout gr00t_n15_layout(SynthSize size) {
  const bool is_tiny = size == SynthSize::tiny;
  const Gr00tN15Config config = is_tiny ? tiny_config() : Gr00tN15Config{};
  return {.files = {{"config.json", text(config_json(config))},
                    {"experiment_cfg/metadata.json", text(synth_n15_metadata())}},
          .tensors = tensors(config, is_tiny ? tiny_backbone() : published_backbone())};
}

}  // namespace ramet
