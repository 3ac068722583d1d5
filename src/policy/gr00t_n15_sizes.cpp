#include "policy/gr00t_n15_sizes.h"

#include "models/stored_shapes.h"
#include "policy/gr00t_n15/files.h"

#include <fmt/format.h>

namespace ramet {
namespace {

Status same(const std::string& where, std::string_view what, int64_t expected, int64_t found) {
  if (expected == found) return {};
  return fail(Code::invalid_value, fmt::format("{}: {}", where, what), fmt::format("{}, as the tensors have", expected),
              fmt::format("{}", found));
}

Status check_depths(const Gr00tN15Config& c, const Gr00tN15Sizes& sizes, const Gr00tN15Stored& stored,
                    const std::string& file) {
  RAMET_TRY_STATUS(same(file, "backbone_cfg.select_layer", sizes.backbone.text.num_hidden_layers, c.select_layer));
  RAMET_TRY_STATUS(same(file, "action_head_cfg.diffusion_model_cfg.num_layers", stored.dit_blocks,
                        c.diffusion_model_cfg.num_layers));
  RAMET_TRY_STATUS(
      same(file, "action_head_cfg.num_target_vision_tokens", stored.future_tokens, c.num_target_vision_tokens));
  if (!c.use_vlln) return {};
  return same(file, "action_head_cfg.vl_self_attention_cfg.num_layers", stored.vl_self_attention_blocks,
              c.vl_self_attention_cfg.num_layers);
}

Status check_widths(const Gr00tN15Sizes& sizes, const std::string& file) {
  const ActionHeadConfig& head = sizes.head;
  RAMET_TRY_STATUS(
      same(file, "action_head_cfg.backbone_embedding_dim", sizes.backbone.features_dim(), sizes.adapter.hidden_size));
  RAMET_TRY_STATUS(same(file, "action_head_cfg.input_embedding_dim", head.dit.inner_dim(), head.input_embedding_dim));
  if (!head.add_pos_embed || head.action_horizon <= head.max_seq_len) return {};
  return fail(Code::invalid_value, file + ": action horizon",
              fmt::format("at most {}, the rows of position_embedding", head.max_seq_len),
              fmt::format("{}", head.action_horizon));
}

Status check_pictures(const SiglipEmbeddingConfig& embedding, const std::string& file) {
  if (embedding.side() == kSiglipSide) return {};
  return fail(Code::unsupported, file + ": the vision tower's patch and position embeddings",
              fmt::format("pictures of {0}x{0}", kSiglipSide), fmt::format("{0}x{0}", embedding.side()));
}

Result<Gr00tN15Config> stored_config(const Checkpoint& checkpoint) {
  StoredShapes text(checkpoint, "backbone.eagle_model.language_model"), head(checkpoint, "action_head");
  constexpr std::string_view kDecoder = "action_decoder.layer2.W", kEncoder = "state_encoder.layer1.W";
  constexpr std::string_view kFutureTokens = "future_tokens.weight";
  Gr00tN15Config c;
  c.select_layer = text.count("model.layers");
  c.max_state_dim = head.dim(kEncoder, 1);
  c.hidden_size = head.dim(kEncoder, 2);
  c.max_action_dim = head.dim(kDecoder, 2);
  c.backbone_embedding_dim = text.dim("model.norm.weight", 0);
  c.num_target_vision_tokens = head.dim(kFutureTokens, 0);
  c.input_embedding_dim = head.dim(kFutureTokens, 1);
  c.dit_output_dim = head.dim("model.proj_out_2.weight", 0);
  const auto fit = [&](Gr00tN15Config::Transformer& sizes, const std::string& blocks) {
    sizes.num_layers = head.count(blocks);
    sizes.num_attention_heads = head.heads(blocks + ".0.attn1.to_q.weight", sizes.attention_head_dim);
  };
  fit(c.diffusion_model_cfg, "model.transformer_blocks");
  fit(c.vl_self_attention_cfg, "vl_self_attention.transformer_blocks");
  RAMET_TRY_STATUS(text.status());
  RAMET_TRY_STATUS(head.status());
  return c;
}

}  // namespace

Gr00tN15Sizes gr00t_n15_sizes(const Gr00tN15Config& c, const Gr00tN15Backbone& backbone, const Gr00tN15Stored& stored,
                              int64_t horizon) {
  Gr00tN15Sizes sizes{.backbone = backbone, .adapter = {}, .head = {}};
  sizes.backbone.project_to_dim = c.project_to_dim;
  sizes.adapter = {.hidden_size = c.backbone_embedding_dim,
                   .use_vlln = c.use_vlln,
                   .num_layers = c.use_vlln ? c.vl_self_attention_cfg.num_layers : 0,
                   .num_attention_heads = c.vl_self_attention_cfg.num_attention_heads,
                   .attention_head_dim = c.vl_self_attention_cfg.attention_head_dim};
  const DitConfig dit{.num_layers = c.diffusion_model_cfg.num_layers,
                      .num_attention_heads = c.diffusion_model_cfg.num_attention_heads,
                      .attention_head_dim = c.diffusion_model_cfg.attention_head_dim,
                      .output_dim = c.dit_output_dim,
                      .cross_attention_dim = c.backbone_embedding_dim,
                      .alternate_text_and_image = false};
  sizes.head = {.hidden_size = c.hidden_size,
                .input_embedding_dim = c.input_embedding_dim,
                .state_dim = c.max_state_dim,
                .action_dim = c.max_action_dim,
                .action_horizon = horizon,
                .max_num_embodiments = stored.slots,
                .max_seq_len = stored.position_rows,
                .num_future_tokens = stored.future_tokens,
                .add_pos_embed = c.add_pos_embed,
                .num_inference_timesteps = c.num_inference_timesteps,
                .num_timestep_buckets = c.num_timestep_buckets,
                .dit = dit};
  return sizes;
}

Result<Gr00tN15Config> load_gr00t_n15_config(const std::filesystem::path& directory, const Checkpoint& checkpoint) {
  RAMET_TRY(const std::optional<Gr00tN15Config> stated, load_n15_config(directory));
  return stated ? *stated : stored_config(checkpoint);
}

Result<Gr00tN15Sizes> checked_gr00t_n15_sizes(const Gr00tN15Config& config, const std::string& config_file,
                                              const Checkpoint& checkpoint, int64_t horizon) {
  RAMET_TRY(const Gr00tN15Backbone backbone, stored_n15_backbone(checkpoint));
  const Gr00tN15Stored stored = stored_n15_head(checkpoint);
  const Gr00tN15Sizes sizes = gr00t_n15_sizes(config, backbone, stored, horizon);
  RAMET_TRY_STATUS(check_depths(config, sizes, stored, config_file));
  RAMET_TRY_STATUS(check_widths(sizes, config_file));
  RAMET_TRY_STATUS(check_pictures(sizes.backbone.embedding, config_file));
  return sizes;
}

}  // namespace ramet
