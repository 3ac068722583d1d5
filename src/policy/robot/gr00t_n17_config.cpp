#include "policy/robot/gr00t_n17_config.h"

#include "policy/robot/checked_json.h"

#include <fmt/format.h>

namespace ramet {
namespace {

constexpr std::string_view kModelType = "Gr00tN1d7";
constexpr IntRange kCount{1, 1024};

Status check_model_type(const Json& root) {
  RAMET_TRY(const std::string found, root.get<std::string>("model_type"));
  if (found == kModelType) return {};
  return fail(Code::unsupported, place(root, "model_type"), std::string(kModelType), found,
              "this directory holds another model");
}

Status check_supported(const Json& root) {
  RAMET_TRY_STATUS(check_model_type(root));
  RAMET_TRY_STATUS(refuse_if_true(root, "reproject_vision", "no released checkpoint projects vision features again"));
  RAMET_TRY_STATUS(refuse_if_true(root, "use_tactile", "tactile encoders are not implemented"));
  RAMET_TRY_STATUS(refuse_if_true(root, "use_future_tokens", "future tokens belong to N1.5"));
  return require_text(root, "backbone_model_type", "qwen");
}

Result<VlSelfAttentionConfig> parse_vl_self_attention(const Json& root) {
  VlSelfAttentionConfig config;
  RAMET_TRY(const bool used, root.get_or("use_vl_self_attention", true));
  if (!used || !root.has("vl_self_attention_cfg")) return config;
  RAMET_TRY(const Json node, root.at("vl_self_attention_cfg"));
  RAMET_TRY_STATUS(refuse_if_given(node, "positional_embeddings"));
  RAMET_TRY(config.num_layers, int_or(node, "num_layers", 0, {0, kCount.max}));
  RAMET_TRY(config.num_attention_heads, int_or(node, "num_attention_heads", config.num_attention_heads, kCount));
  RAMET_TRY(config.attention_head_dim, int_or(node, "attention_head_dim", config.attention_head_dim, kCount));
  return config;
}

// The parts of the model that share a width must agree on it.
Status check_widths(const Json& root, const Gr00tN17Config& config) {
  const DiffusionModelConfig& dit = config.diffusion_model_cfg;
  const VlSelfAttentionConfig& vl = config.vl_self_attention_cfg;
  RAMET_TRY_STATUS(check_width(root, "diffusion_model_cfg: num_attention_heads x attention_head_dim",
                               config.input_embedding_dim, dit.num_attention_heads * dit.attention_head_dim));
  RAMET_TRY_STATUS(check_width(root, "diffusion_model_cfg.output_dim", config.hidden_size, dit.output_dim));
  if (vl.num_layers > 0)
    RAMET_TRY_STATUS(check_width(root, "vl_self_attention_cfg: num_attention_heads x attention_head_dim",
                                 config.backbone_embedding_dim, vl.num_attention_heads * vl.attention_head_dim));
  if (config.add_pos_embed && config.action_horizon > config.max_seq_len)
    return fail(Code::invalid_value, place(root, "action_horizon"),
                fmt::format("at most max_seq_len = {}", config.max_seq_len), fmt::format("{}", config.action_horizon));
  return {};
}

Status parse_sizes(const Json& root, Gr00tN17Config& config) {
  RAMET_TRY(config.backbone_embedding_dim, int_or(root, "backbone_embedding_dim", config.backbone_embedding_dim));
  RAMET_TRY(config.select_layer, int_or(root, "select_layer", config.select_layer, kCount));
  RAMET_TRY(config.max_state_dim, int_or(root, "max_state_dim", config.max_state_dim));
  RAMET_TRY(config.max_action_dim, int_or(root, "max_action_dim", config.max_action_dim));
  RAMET_TRY(config.action_horizon, int_or(root, "action_horizon", config.action_horizon, {1, 1 << 16}));
  RAMET_TRY(config.hidden_size, int_or(root, "hidden_size", config.hidden_size));
  RAMET_TRY(config.input_embedding_dim, int_or(root, "input_embedding_dim", config.input_embedding_dim));
  RAMET_TRY(config.state_history_length, int_or(root, "state_history_length", config.state_history_length, kCount));
  RAMET_TRY(config.max_num_embodiments, int_or(root, "max_num_embodiments", config.max_num_embodiments, {1, 1 << 16}));
  RAMET_TRY(config.max_seq_len, int_or(root, "max_seq_len", config.max_seq_len));
  return {};
}

Status parse_switches(const Json& root, Gr00tN17Config& config) {
  RAMET_TRY(config.model_name, root.get_or("model_name", config.model_name));
  RAMET_TRY(config.add_pos_embed, root.get_or("add_pos_embed", config.add_pos_embed));
  RAMET_TRY(config.use_vlln, root.get_or("use_vlln", config.use_vlln));
  RAMET_TRY(config.use_alternate_vl_dit, root.get_or("use_alternate_vl_dit", config.use_alternate_vl_dit));
  RAMET_TRY(config.attend_text_every_n_blocks,
            int_or(root, "attend_text_every_n_blocks", config.attend_text_every_n_blocks, kCount));
  RAMET_TRY(config.num_inference_timesteps,
            int_or(root, "num_inference_timesteps", config.num_inference_timesteps, kCount));
  RAMET_TRY(config.num_timestep_buckets, int_or(root, "num_timestep_buckets", config.num_timestep_buckets));
  RAMET_TRY(config.rtc_ramp_rate, root.get_or("rtc_ramp_rate", config.rtc_ramp_rate));
  return {};
}

}  // namespace

Gr00tN17Config released_gr00t_n17_config() {
  Gr00tN17Config config;
  config.select_layer = 16;
  config.diffusion_model_cfg.num_layers = 32;
  config.vl_self_attention_cfg.num_layers = 4;
  return config;
}

Result<Gr00tN17Config> parse_gr00t_n17_config(const Json& root) {
  Gr00tN17Config config;
  RAMET_TRY_STATUS(check_supported(root));
  RAMET_TRY_STATUS(parse_sizes(root, config));
  RAMET_TRY_STATUS(parse_switches(root, config));
  RAMET_TRY(config.diffusion_model_cfg, parse_diffusion_model(root));
  RAMET_TRY(config.vl_self_attention_cfg, parse_vl_self_attention(root));
  RAMET_TRY_STATUS(check_widths(root, config));
  return config;
}

}  // namespace ramet
