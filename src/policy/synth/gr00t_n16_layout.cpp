#include "policy/synth/gr00t_n16_layout.h"

#include "models/gr00t_n16.h"
#include "policy/gr00t_n16_sizes.h"
#include "policy/synth/qwen_layout.h"
#include "policy/synth/robots.h"
#include "policy/synth/siglip_pooling_head.h"

#include <nlohmann/json.hpp>

namespace ramet {
namespace {

using nlohmann::json;

EagleBackboneSizes published_backbone() {
  return {.embedding = {.hidden_size = 1152, .patch_width = 588, .position_side = 16},
          .vision = {.hidden_size = 1152, .num_heads = 16, .intermediate_size = 4304, .depth = 27},
          .text = {.num_hidden_layers = 16,
                   .hidden_size = 2048,
                   .num_attention_heads = 16,
                   .num_key_value_heads = 8,
                   .head_dim = 128,
                   .intermediate_size = 6144,
                   .vocab_size = 151680,
                   .mrope_section = {}}};
}

// The sizes of the golden case n16_one.
EagleBackboneSizes tiny_backbone() {
  EagleBackboneSizes sizes = published_backbone();
  sizes.embedding.hidden_size = 144;
  sizes.vision = {.hidden_size = 144, .num_heads = 2, .intermediate_size = 296, .depth = 3};
  sizes.text.num_hidden_layers = 3;
  sizes.text.hidden_size = 80;
  sizes.text.num_attention_heads = 4;
  sizes.text.num_key_value_heads = 2;
  sizes.text.intermediate_size = 208;
  return sizes;
}

Gr00tN16Config tiny_config() {
  Gr00tN16Config c = released_gr00t_n16_config();
  c.backbone_embedding_dim = 80;
  c.select_layer = 3;
  c.hidden_size = 88;
  c.input_embedding_dim = 96;
  c.max_seq_len = 64;
  c.diffusion_model_cfg = {.num_layers = 6, .num_attention_heads = 2, .attention_head_dim = 48, .output_dim = 88};
  return c;
}

json config_json(const Gr00tN16Config& c) {
  return {{"architectures", {"Gr00tN1d6"}},
          {"model_type", "Gr00tN1d6"},
          {"model_dtype", "bfloat16"},
          {"model_name", c.model_name},
          {"backbone_model_type", "eagle"},
          {"backbone_embedding_dim", c.backbone_embedding_dim},
          {"select_layer", c.select_layer},
          {"reproject_vision", false},
          {"max_state_dim", c.max_state_dim},
          {"max_action_dim", c.max_action_dim},
          {"action_horizon", c.action_horizon},
          {"hidden_size", c.hidden_size},
          {"input_embedding_dim", c.input_embedding_dim},
          {"add_pos_embed", c.add_pos_embed},
          {"max_seq_len", c.max_seq_len},
          {"use_vlln", c.use_vlln},
          {"use_alternate_vl_dit", c.use_alternate_vl_dit},
          {"attend_text_every_n_blocks", c.attend_text_every_n_blocks},
          {"diffusion_model_cfg",
           {{"num_layers", c.diffusion_model_cfg.num_layers},
            {"num_attention_heads", c.diffusion_model_cfg.num_attention_heads},
            {"attention_head_dim", c.diffusion_model_cfg.attention_head_dim},
            {"output_dim", c.diffusion_model_cfg.output_dim},
            {"norm_type", "ada_norm"},
            {"interleave_self_attention", true},
            {"positional_embeddings", nullptr}}},
          {"num_inference_timesteps", c.num_inference_timesteps},
          {"num_timestep_buckets", c.num_timestep_buckets},
          {"max_num_embodiments", c.max_num_embodiments}};
}

json processor_json(const Gr00tN16Config& c) {
  return {{"processor_class", "Gr00tN1d6Processor"},
          {"processor_kwargs",
           {{"modality_configs", synth_modality_configs(SynthRobots::n16)},
            {"image_crop_size", nullptr},
            {"image_target_size", nullptr},
            {"use_albumentations", true},
            {"shortest_image_edge", 256},
            {"crop_fraction", 0.95},
            {"model_name", c.model_name},
            {"model_type", "eagle"},
            {"formalize_language", true},
            {"max_state_dim", c.max_state_dim},
            {"max_action_dim", c.max_action_dim},
            {"max_action_horizon", c.action_horizon},
            {"use_percentiles", false},
            {"clip_outliers", true},
            {"apply_sincos_state_encoding", true},
            {"use_relative_action", true}}}};
}

std::vector<TensorSpec> tensors(const Gr00tN16Config& config, const EagleBackboneSizes& backbone) {
  const Checkpoint none;
  WeightClaims claims(none);
  Gr00tN16Model(claims, gr00t_n16_sizes(config, backbone));
  std::vector<TensorSpec> list = claimed_tensors(claims);
  const std::vector<TensorSpec> head = siglip_pooling_head(
      "backbone.model.vision_model.vision_model.head.", backbone.vision.hidden_size, backbone.vision.intermediate_size);
  list.insert(list.end(), head.begin(), head.end());
  list.push_back({"backbone.model.language_model.lm_head.weight",
                  DType::bf16,
                  {backbone.text.vocab_size, backbone.text.hidden_size}});
  return list;
}

std::string text(const json& document) { return document.dump(2) + "\n"; }

}  // namespace

SynthLayout gr00t_n16_layout(SynthSize size) {
  const bool is_tiny = size == SynthSize::tiny;
  const Gr00tN16Config config = is_tiny ? tiny_config() : released_gr00t_n16_config();
  return {.files = {{"config.json", text(config_json(config))},
                    {"processor_config.json", text(processor_json(config))},
                    {"statistics.json", text(synth_statistics(SynthRobots::n16))},
                    {"embodiment_id.json", text(synth_embodiment_ids(SynthRobots::n16))}},
          .tensors = tensors(config, is_tiny ? tiny_backbone() : published_backbone())};
}

}  // namespace ramet
