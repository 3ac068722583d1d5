#include "policy/synth/gr00t_n17_layout.h"

#include "models/gr00t_n17.h"
#include "policy/gr00t_n17_sizes.h"
#include "policy/synth/qwen_layout.h"
#include "policy/synth/robots.h"

#include <nlohmann/json.hpp>

namespace ramet {
namespace {

using nlohmann::json;

// The sizes of the golden case n17_libero.
Gr00tN17Config tiny_config() {
  Gr00tN17Config c = released_gr00t_n17_config();
  c.backbone_embedding_dim = 192;
  c.select_layer = 5;
  c.hidden_size = 112;
  c.input_embedding_dim = 144;
  c.diffusion_model_cfg = {.num_layers = 6, .num_attention_heads = 3, .attention_head_dim = 48, .output_dim = 112};
  c.vl_self_attention_cfg = {.num_layers = 2, .num_attention_heads = 3, .attention_head_dim = 64};
  return c;
}

Qwen3VlConfig tiny_backbone(Qwen3VlConfig c) {
  c.vision.depth = 6;
  c.vision.hidden_size = 320;
  c.vision.num_heads = 5;
  c.vision.intermediate_size = 448;
  c.vision.out_hidden_size = 192;
  c.vision.deepstack_visual_indexes = {1, 2, 4};
  c.text->num_hidden_layers = 6;
  c.text->hidden_size = 192;
  c.text->num_attention_heads = 4;
  c.text->num_key_value_heads = 2;
  c.text->intermediate_size = 352;
  return c;
}

json config_json(const Gr00tN17Config& c) {
  return {{"architectures", {"Gr00tN1d7"}},
          {"model_type", "Gr00tN1d7"},
          {"model_dtype", "bfloat16"},
          {"model_name", c.model_name},
          {"backbone_model_type", "qwen"},
          {"backbone_embedding_dim", c.backbone_embedding_dim},
          {"select_layer", c.select_layer},
          {"reproject_vision", false},
          {"max_state_dim", c.max_state_dim},
          {"max_action_dim", c.max_action_dim},
          {"action_horizon", c.action_horizon},
          {"hidden_size", c.hidden_size},
          {"input_embedding_dim", c.input_embedding_dim},
          {"state_history_length", c.state_history_length},
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
          {"vl_self_attention_cfg",
           {{"num_layers", c.vl_self_attention_cfg.num_layers},
            {"num_attention_heads", c.vl_self_attention_cfg.num_attention_heads},
            {"attention_head_dim", c.vl_self_attention_cfg.attention_head_dim},
            {"positional_embeddings", nullptr}}},
          {"num_inference_timesteps", c.num_inference_timesteps},
          {"num_timestep_buckets", c.num_timestep_buckets},
          {"max_num_embodiments", c.max_num_embodiments},
          {"rtc_ramp_rate", c.rtc_ramp_rate}};
}

// The flags of the released 3B model.
json processor_json(const Gr00tN17Config& c) {
  return {{"processor_class", "Gr00tN1d7Processor"},
          {"processor_kwargs",
           {{"modality_configs", synth_modality_configs(SynthRobots::n17)},
            {"image_crop_size", {230, 230}},
            {"image_target_size", {256, 256}},
            {"use_albumentations", true},
            {"shortest_image_edge", 256},
            {"crop_fraction", 0.95},
            {"letter_box_transform", false},
            {"model_name", c.model_name},
            {"formalize_language", true},
            {"max_state_dim", c.max_state_dim},
            {"max_action_dim", c.max_action_dim},
            {"max_action_horizon", c.action_horizon},
            {"use_percentiles", true},
            {"clip_outliers", true},
            {"apply_sincos_state_encoding", false},
            {"use_relative_action", true},
            {"exclude_state", false}}}};
}

std::vector<TensorSpec> tensors(const Gr00tN17Config& config, const Qwen3VlConfig& backbone) {
  const Checkpoint none;
  WeightClaims claims(none);
  Gr00tN17Model(claims, gr00t_n17_sizes(config, backbone.vision, *backbone.text));
  std::vector<TensorSpec> list = claimed_tensors(claims);
  const int64_t hidden = backbone.text->hidden_size, vocab = backbone.text->vocab_size;
  list.push_back({"backbone.model.lm_head.weight", DType::bf16, {vocab, hidden}});
  list.push_back({"backbone.model.model.language_model.norm.weight", DType::bf16, {hidden}});
  return list;
}

std::string text(const json& document) { return document.dump(2) + "\n"; }

}  // namespace

SynthLayout gr00t_n17_layout(SynthSize size) {
  const bool is_tiny = size == SynthSize::tiny;
  const Gr00tN17Config config = is_tiny ? tiny_config() : released_gr00t_n17_config();
  const Qwen3VlConfig published = *published_qwen3_vl_config(config.model_name);
  const Qwen3VlConfig backbone = is_tiny ? tiny_backbone(published) : published;
  SynthLayout layout{.files = {{"config.json", text(config_json(config))},
                               {"processor_config.json", text(processor_json(config))},
                               {"statistics.json", text(synth_statistics(SynthRobots::n17))},
                               {"embodiment_id.json", text(synth_embodiment_ids(SynthRobots::n17))}},
                     .tensors = tensors(config, backbone)};
  if (is_tiny) layout.files.push_back({"backbone/config.json", text(qwen_config_json(backbone))});
  return layout;
}

}  // namespace ramet
