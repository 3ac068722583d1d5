#include "policy/gr00t_n15/config.h"

#include "policy/robot/checked_json.h"

#include <fmt/format.h>

namespace ramet {
namespace {

constexpr IntRange kSteps{1, 1000};

Status require_flag(const Json& object, std::string_view key, bool required) {
  RAMET_TRY(const bool value, object.get_or<bool>(key, required));
  if (value == required) return {};
  return fail(Code::unsupported, place(object, key), required ? "true" : "false", value ? "true" : "false");
}

Status require_no_positions(const Json& transformer) {
  if (!transformer.has("positional_embeddings")) return {};
  RAMET_TRY(const Json node, transformer.at("positional_embeddings"));
  return fail(Code::unsupported, node.where(), "null", node.type_name());
}

Status read_transformer(const Json& node, Gr00tN15Config::Transformer& sizes) {
  RAMET_TRY_STATUS(require_no_positions(node));
  RAMET_TRY(sizes.num_layers, int_or(node, "num_layers", sizes.num_layers, {0, 1024}));
  RAMET_TRY(sizes.num_attention_heads, int_or(node, "num_attention_heads", sizes.num_attention_heads));
  RAMET_TRY(sizes.attention_head_dim, int_or(node, "attention_head_dim", sizes.attention_head_dim));
  return {};
}

Status read_diffusion_model(const Json& node, Gr00tN15Config& c) {
  RAMET_TRY_STATUS(read_transformer(node, c.diffusion_model_cfg));
  RAMET_TRY_STATUS(require_flag(node, "interleave_self_attention", true));
  RAMET_TRY(const std::string norm_type, node.get_or<std::string>("norm_type", "ada_norm"));
  if (norm_type != "ada_norm") return fail(Code::unsupported, place(node, "norm_type"), "ada_norm", norm_type);
  RAMET_TRY(c.dit_output_dim, int_or(node, "output_dim", c.dit_output_dim));
  RAMET_TRY(const int64_t context, int_or(node, "cross_attention_dim", c.backbone_embedding_dim));
  if (context == c.backbone_embedding_dim) return {};
  return fail(Code::invalid_value, place(node, "cross_attention_dim"),
              fmt::format("{}, as backbone_embedding_dim", c.backbone_embedding_dim), fmt::format("{}", context));
}

Status read_backbone(const Json& node, Gr00tN15Config& c) {
  RAMET_TRY_STATUS(require_flag(node, "reproject_vision", false));
  RAMET_TRY(c.select_layer, int_or(node, "select_layer", c.select_layer, {1, 1024}));
  RAMET_TRY(c.project_to_dim, int_or(node, "project_to_dim", c.project_to_dim));
  return {};
}

Status read_action_head(const Json& node, Gr00tN15Config& c) {
  RAMET_TRY(c.max_state_dim, int_or(node, "max_state_dim", c.max_state_dim));
  RAMET_TRY(c.max_action_dim, int_or(node, "action_dim", c.max_action_dim));
  RAMET_TRY(c.backbone_embedding_dim, int_or(node, "backbone_embedding_dim", c.backbone_embedding_dim));
  RAMET_TRY(c.input_embedding_dim, int_or(node, "input_embedding_dim", c.input_embedding_dim));
  RAMET_TRY(c.hidden_size, int_or(node, "hidden_size", c.hidden_size));
  RAMET_TRY(c.num_inference_timesteps, int_or(node, "num_inference_timesteps", c.num_inference_timesteps, kSteps));
  RAMET_TRY(c.num_timestep_buckets, int_or(node, "num_timestep_buckets", c.num_timestep_buckets));
  RAMET_TRY(c.num_target_vision_tokens,
            int_or(node, "num_target_vision_tokens", c.num_target_vision_tokens, {0, 4096}));
  RAMET_TRY(c.add_pos_embed, node.get_or<bool>("add_pos_embed", c.add_pos_embed));
  RAMET_TRY(c.use_vlln, node.get_or<bool>("use_vlln", c.use_vlln));
  if (node.has("diffusion_model_cfg")) {
    RAMET_TRY(const Json dit, node.at("diffusion_model_cfg"));
    RAMET_TRY_STATUS(read_diffusion_model(dit, c));
  }
  if (!node.has("vl_self_attention_cfg")) return {};
  RAMET_TRY(const Json adapter, node.at("vl_self_attention_cfg"));
  return read_transformer(adapter, c.vl_self_attention_cfg);
}

}  // namespace

Result<Gr00tN15Config> parse_gr00t_n15_config(const Json& root) {
  Gr00tN15Config config;
  RAMET_TRY(config.action_horizon, int_or(root, "action_horizon", config.action_horizon, {1, 1024}));
  RAMET_TRY(const Json backbone, root.at("backbone_cfg"));
  RAMET_TRY_STATUS(read_backbone(backbone, config));
  RAMET_TRY(const Json head, root.at("action_head_cfg"));
  RAMET_TRY_STATUS(read_action_head(head, config));
  return config;
}

}  // namespace ramet
