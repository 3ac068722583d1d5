#include "models/gr00t_n16.h"

#include "models/context_rows.h"
#include "models/patch_grid.h"
#include "models/stored_shapes.h"

#include <fmt/format.h>

namespace ramet {
namespace {

constexpr auto kVision = "backbone.model.vision_model.vision_model";
constexpr auto kConnector = "backbone.model.mlp1";
constexpr auto kLanguageModel = "backbone.model.language_model";
constexpr auto kActionHead = "action_head";

constexpr int64_t kVisionHeadDim = 72;  // in no file

}  // namespace

Result<EagleBackboneSizes> stored_eagle_sizes(const Checkpoint& checkpoint) {
  StoredShapes vision(checkpoint, kVision), text(checkpoint, kLanguageModel);
  const int64_t hidden = vision.dim("post_layernorm.weight", 0);
  EagleBackboneSizes sizes{
      .embedding = {.hidden_size = hidden,
                    .patch_width = vision.dim("embeddings.patch_embedding.weight", 1),
                    .position_side = vision.square_side("embeddings.position_embedding.weight", 0)},
      .vision = {.hidden_size = hidden,
                 .num_heads = vision.heads("encoder.layers.0.self_attn.q_proj.weight", kVisionHeadDim),
                 .intermediate_size = vision.dim("encoder.layers.0.mlp.fc1.weight", 0),
                 .depth = vision.count("encoder.layers")},
      .text = stored_qwen3_sizes(text)};
  RAMET_TRY_STATUS(vision.status());
  RAMET_TRY_STATUS(text.status());
  const Qwen3TextConfig& t = sizes.text;
  if (t.num_attention_heads % t.num_key_value_heads != 0)
    return fail(Code::shape_mismatch, fmt::format("{}: {}", checkpoint.path().string(), kLanguageModel),
                fmt::format("query heads that {} key heads divide", t.num_key_value_heads),
                fmt::format("{}", t.num_attention_heads));
  return sizes;
}

int64_t stored_dit_blocks(const Checkpoint& checkpoint) {
  WeightClaims none(checkpoint);
  return WeightScope(none, kActionHead, Category::skipped).count("model.transformer_blocks");
}

Gr00tN16Model::Gr00tN16Model(WeightClaims& claims, const Gr00tN16Sizes& sizes)
    : sizes_(sizes),
      embeddings_(WeightScope(claims, kVision, Category::vision).scope("embeddings"), sizes.backbone.embedding),
      vision_model_(WeightScope(claims, kVision, Category::vision), sizes.backbone.vision),
      mlp1_(WeightScope(claims, kConnector, Category::projector),
            {.vision_size = sizes.backbone.vision.hidden_size, .hidden_size = sizes.backbone.text.hidden_size}),
      language_model_(WeightScope(claims, kLanguageModel, Category::llm).scope("model"), sizes.backbone.text),
      norm_(WeightScope(claims, kLanguageModel, Category::llm)
                .weight("model.norm.weight", {sizes.backbone.text.hidden_size})),
      adapter_(WeightScope(claims, kActionHead, Category::vlln), sizes.adapter),
      action_head_(WeightScope(claims, kActionHead, Category::dit), sizes.head) {
  ignore_pooling_head(claims, WeightScope(claims, kVision, Category::skipped));
  claims.ignore("backbone.model.language_model.lm_head.weight", "no text is generated");
  claims.ignore("action_head.mask_token", "stands in for a state that training dropped");
}

Value Gr00tN16Model::record_vision(Recorder& rec, const Layout& layout) const {
  const Siglip2EmbeddingConfig& embedding = sizes_.backbone.embedding;
  const Value pixels = rec.input("pixels", DType::f32, {count_patches(layout.grids), embedding.patch_width});
  const Value x = embeddings_.record(rec, pixels, layout.grids);
  return mlp1_.record(rec, vision_model_.record(rec, x, frame_segments(layout.grids)), layout.grids);
}

Program Gr00tN16Model::record(const Layout& layout, const Variant& variant) const {
  Recorder rec;
  const ActionHeadConfig& head = action_head_.config();
  rec.begin_stage("vision");
  const Value merged = record_vision(rec, layout);
  rec.begin_stage("llm");
  const Value input_ids = rec.input("input_ids", DType::i64, {layout.text.tokens()});
  const Value h = language_model_.record(rec, input_ids, layout.text, {merged, {}});
  const auto eps = static_cast<float>(sizes_.backbone.text.rms_norm_eps);
  const Value features = rec.tap("llm.out", rec.rms_norm(h, norm_, eps));
  rec.begin_stage("adapter");
  const Value context = adapter_.record(rec, features);
  rec.begin_stage("denoise");
  const ActionHead::Inputs inputs{.state = rec.input("state", DType::f32, {variant.state_steps, head.state_dim}),
                                  .noise = rec.input("noise", DType::f32, {head.action_horizon, head.action_dim}),
                                  .context = context,
                                  .rows = context_rows(layout.text),
                                  .slot = variant.slot,
                                  .steps = variant.steps};
  rec.output("actions", action_head_.record(rec, inputs));
  return std::move(rec).finish();
}

}  // namespace ramet
