#include "policy/gr00t_n17_sizes.h"

#include "policy/image/image.h"
#include "policy/image/qwen_config.h"

#include <fmt/format.h>

namespace ramet {
namespace {

Status same(const std::string& where, std::string_view what, int64_t expected, int64_t found) {
  if (expected == found) return {};
  return fail(Code::invalid_value, fmt::format("{}: {}", where, what), fmt::format("{}", expected),
              fmt::format("{}", found));
}

Status check_depths(const Gr00tN17Sizes& sizes, const Gr00tN17Depths& stored, const std::string& config,
                    const std::string& backbone) {
  RAMET_TRY_STATUS(same(backbone, "vision_config.depth", stored.vision_blocks, sizes.vision.depth));
  RAMET_TRY_STATUS(same(config, "select_layer", stored.text_layers, sizes.text.num_hidden_layers));
  RAMET_TRY_STATUS(same(config, "diffusion_model_cfg.num_layers", stored.dit_blocks, sizes.head.dit.num_layers));
  return same(config, "vl_self_attention_cfg.num_layers", stored.vl_self_attention_blocks, sizes.adapter.num_layers);
}

// Deepstack level k is added after text layer k.
Status check_levels(const Gr00tN17Sizes& sizes, const std::string& config) {
  const auto levels = static_cast<int64_t>(sizes.vision.deepstack_visual_indexes.size());
  if (levels <= sizes.text.num_hidden_layers) return {};
  return fail(Code::invalid_value, config + ": select_layer", fmt::format("at least the {} deepstack levels", levels),
              fmt::format("{}", sizes.text.num_hidden_layers));
}

Status check_widths(const Gr00tN17Sizes& sizes, const std::string& config) {
  const ActionHeadConfig& head = sizes.head;
  RAMET_TRY_STATUS(same(config, "backbone_embedding_dim", sizes.text.hidden_size, sizes.adapter.hidden_size));
  RAMET_TRY_STATUS(same(config, "input_embedding_dim", head.dit.inner_dim(), head.input_embedding_dim));
  if (head.input_embedding_dim % 2 == 0) return {};
  return fail(Code::invalid_value, config + ": input_embedding_dim", "an even number: half sines, half cosines",
              fmt::format("{}", head.input_embedding_dim));
}

Status check_patches(const QwenVisionConfig& vision, const std::string& backbone) {
  const QwenImageProcessorConfig pixels;
  RAMET_TRY_STATUS(same(backbone, "vision_config.patch_size", pixels.patch_size, vision.patch_size));
  RAMET_TRY_STATUS(same(backbone, "vision_config.spatial_merge_size", pixels.merge_size, vision.spatial_merge_size));
  RAMET_TRY_STATUS(
      same(backbone, "vision_config.temporal_patch_size", pixels.temporal_patch_size, vision.temporal_patch_size));
  return same(backbone, "vision_config.in_channels", Image::kChannels, vision.in_channels);
}

}  // namespace

Gr00tN17Sizes gr00t_n17_sizes(const Gr00tN17Config& c, const QwenVisionConfig& vision, const Qwen3TextConfig& text) {
  Gr00tN17Sizes sizes{.vision = vision, .text = text, .adapter = {}, .head = {}};
  sizes.text.num_hidden_layers = c.select_layer;
  sizes.adapter = {.hidden_size = c.backbone_embedding_dim,
                   .use_vlln = c.use_vlln,
                   .num_layers = c.vl_self_attention_cfg.num_layers,
                   .num_attention_heads = c.vl_self_attention_cfg.num_attention_heads,
                   .attention_head_dim = c.vl_self_attention_cfg.attention_head_dim};
  const DitConfig dit{.num_layers = c.diffusion_model_cfg.num_layers,
                      .num_attention_heads = c.diffusion_model_cfg.num_attention_heads,
                      .attention_head_dim = c.diffusion_model_cfg.attention_head_dim,
                      .output_dim = c.diffusion_model_cfg.output_dim,
                      .cross_attention_dim = c.backbone_embedding_dim,
                      .alternate_text_and_image = c.use_alternate_vl_dit,
                      .attend_text_every_n_blocks = c.attend_text_every_n_blocks};
  sizes.head = {.hidden_size = c.hidden_size,
                .input_embedding_dim = c.input_embedding_dim,
                .state_dim = c.state_history_length * c.max_state_dim,
                .action_dim = c.max_action_dim,
                .action_horizon = c.action_horizon,
                .max_num_embodiments = c.max_num_embodiments,
                .max_seq_len = c.max_seq_len,
                .add_pos_embed = c.add_pos_embed,
                .num_inference_timesteps = c.num_inference_timesteps,
                .num_timestep_buckets = c.num_timestep_buckets,
                .dit = dit};
  return sizes;
}

Result<Gr00tN17Sizes> checked_gr00t_n17_sizes(const Gr00tN17Config& config, const std::string& config_file,
                                              const BackboneConfig& backbone, const Checkpoint& checkpoint) {
  if (!backbone.config.text)
    return fail(Code::unsupported, backbone.source + ": model_type", "qwen3_vl", backbone.config.model_type);
  Gr00tN17Sizes sizes = gr00t_n17_sizes(config, backbone.config.vision, *backbone.config.text);
  RAMET_TRY_STATUS(check_depths(sizes, stored_depths(checkpoint), config_file, backbone.source));
  RAMET_TRY_STATUS(check_levels(sizes, config_file));
  RAMET_TRY_STATUS(check_widths(sizes, config_file));
  RAMET_TRY_STATUS(check_patches(sizes.vision, backbone.source));
  return sizes;
}

}  // namespace ramet
