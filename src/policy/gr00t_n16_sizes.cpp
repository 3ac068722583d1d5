#include "policy/gr00t_n16_sizes.h"

#include "policy/image/eagle_patch_rows.h"

#include <fmt/format.h>

namespace ramet {
namespace {

Status same(const std::string& where, std::string_view what, int64_t expected, int64_t found) {
  if (expected == found) return {};
  return fail(Code::invalid_value, fmt::format("{}: {}", where, what), fmt::format("{}, as the tensors have", expected),
              fmt::format("{}", found));
}

}  // namespace

Gr00tN16Sizes gr00t_n16_sizes(const Gr00tN16Config& c, const EagleBackboneSizes& backbone) {
  const DitConfig dit{.num_layers = c.diffusion_model_cfg.num_layers,
                      .num_attention_heads = c.diffusion_model_cfg.num_attention_heads,
                      .attention_head_dim = c.diffusion_model_cfg.attention_head_dim,
                      .output_dim = c.diffusion_model_cfg.output_dim,
                      .cross_attention_dim = c.backbone_embedding_dim,
                      .alternate_text_and_image = c.use_alternate_vl_dit,
                      .attend_text_every_n_blocks = c.attend_text_every_n_blocks};
  return {.backbone = backbone,
          .adapter = {.hidden_size = c.backbone_embedding_dim, .use_vlln = c.use_vlln, .num_layers = 0},
          .head = {.hidden_size = c.hidden_size,
                   .input_embedding_dim = c.input_embedding_dim,
                   .state_dim = c.max_state_dim,
                   .action_dim = c.max_action_dim,
                   .action_horizon = c.action_horizon,
                   .max_num_embodiments = c.max_num_embodiments,
                   .max_seq_len = c.max_seq_len,
                   .add_pos_embed = c.add_pos_embed,
                   .num_inference_timesteps = c.num_inference_timesteps,
                   .num_timestep_buckets = c.num_timestep_buckets,
                   .dit = dit}};
}

Result<Gr00tN16Sizes> checked_gr00t_n16_sizes(const Gr00tN16Config& config, const std::string& config_file,
                                              const Checkpoint& checkpoint) {
  RAMET_TRY(const EagleBackboneSizes backbone, stored_eagle_sizes(checkpoint));
  const Gr00tN16Sizes sizes = gr00t_n16_sizes(config, backbone);
  RAMET_TRY_STATUS(same(config_file, "select_layer", backbone.text.num_hidden_layers, config.select_layer));
  RAMET_TRY_STATUS(same(config_file, "diffusion_model_cfg.num_layers", stored_dit_blocks(checkpoint),
                        config.diffusion_model_cfg.num_layers));
  RAMET_TRY_STATUS(
      same(config_file, "backbone_embedding_dim", backbone.text.hidden_size, config.backbone_embedding_dim));
  constexpr int64_t kPatchWidth = Image::kChannels * kEaglePatchSize * kEaglePatchSize;
  if (backbone.embedding.patch_width == kPatchWidth) return sizes;
  return fail(Code::unsupported, checkpoint.path().string() + ": patch_embedding",
              fmt::format("{} columns, pictures in patches of {} pixels", kPatchWidth, kEaglePatchSize),
              fmt::format("{}", backbone.embedding.patch_width));
}

}  // namespace ramet
