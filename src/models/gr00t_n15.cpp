#include "models/gr00t_n15.h"

#include "models/layers.h"
#include "models/patch_grid.h"
#include "models/stored_shapes.h"

#include <fmt/format.h>

namespace ramet {
namespace {

constexpr auto kBackbone = "backbone";
constexpr auto kVision = "backbone.eagle_model.vision_model.vision_model";
constexpr auto kProjector = "backbone.eagle_model.mlp1";
constexpr auto kLanguageModel = "backbone.eagle_model.language_model";
constexpr auto kActionHead = "action_head";

constexpr int64_t kVisionHeadDim = 72;  // in no file

// The two tables are not tied in the original, which saves both; a file saved again may hold lm_head alone.
template <class Tensors>
std::string_view token_table(const Tensors& language_model) {
  constexpr std::string_view kTable = "model.embed_tokens.weight", kOther = "lm_head.weight";
  return language_model.has(kTable) || !language_model.has(kOther) ? kTable : kOther;
}

WeightScope token_table_scope(const WeightScope& language_model) {
  std::string_view name = token_table(language_model);
  name.remove_suffix(std::string_view(".weight").size());
  return language_model.scope(name, Category::llm_embed);
}

int64_t dim_or_zero(const WeightScope& scope, std::string_view tensor) {
  const std::optional<Shape> shape = scope.shape_of(tensor);
  return shape && shape->rank() > 0 ? (*shape)[0] : 0;
}

}  // namespace

Result<Gr00tN15Backbone> stored_n15_backbone(const Checkpoint& checkpoint) {
  StoredShapes vision(checkpoint, kVision), text(checkpoint, kLanguageModel);
  const int64_t hidden = vision.dim("post_layernorm.weight", 0);
  Gr00tN15Backbone sizes{
      .embedding = {.hidden_size = hidden,
                    .patch_size = vision.dim("embeddings.patch_embedding.weight", 2),
                    .patches_per_side = vision.square_side("embeddings.position_embedding.weight", 0)},
      .vision = {.hidden_size = hidden,
                 .num_heads = vision.heads("encoder.layers.0.self_attn.q_proj.weight", kVisionHeadDim),
                 .intermediate_size = vision.dim("encoder.layers.0.mlp.fc1.weight", 0),
                 .depth = vision.count("encoder.layers")},
      .text = stored_qwen3_sizes(text, token_table(text))};
  RAMET_TRY_STATUS(vision.status());
  RAMET_TRY_STATUS(text.status());
  if (sizes.text.num_attention_heads % sizes.text.num_key_value_heads != 0)
    return fail(Code::shape_mismatch, fmt::format("{}: {}", checkpoint.path().string(), kLanguageModel),
                fmt::format("query heads that {} key heads divide", sizes.text.num_key_value_heads),
                fmt::format("{}", sizes.text.num_attention_heads));
  return sizes;
}

Gr00tN15Stored stored_n15_head(const Checkpoint& checkpoint) {
  WeightClaims none(checkpoint);
  const WeightScope head(none, kActionHead, Category::skipped);
  return {.vl_self_attention_blocks = head.count("vl_self_attention.transformer_blocks"),
          .dit_blocks = head.count("model.transformer_blocks"),
          .slots = dim_or_zero(head, "state_encoder.layer1.W"),
          .position_rows = dim_or_zero(head, "position_embedding.weight"),
          .future_tokens = dim_or_zero(head, "future_tokens.weight")};
}

Gr00tN15Model::Gr00tN15Model(WeightClaims& claims, const Gr00tN15Sizes& sizes)
    : sizes_(sizes),
      embeddings_(WeightScope(claims, kVision, Category::vision).scope("embeddings"), sizes.backbone.embedding),
      vision_model_(WeightScope(claims, kVision, Category::vision), sizes.backbone.vision),
      mlp1_(claim_linear(WeightScope(claims, kProjector, Category::projector), "0", sizes.backbone.vision.hidden_size,
                         sizes.backbone.text.hidden_size)),
      language_model_(WeightScope(claims, kLanguageModel, Category::llm).scope("model"),
                      token_table_scope(WeightScope(claims, kLanguageModel, Category::llm)), sizes.backbone.text),
      norm_(WeightScope(claims, kLanguageModel, Category::llm)
                .weight("model.norm.weight", {sizes.backbone.text.hidden_size})),
      adapter_(WeightScope(claims, kActionHead, Category::vl_self_attention), sizes.adapter),
      action_head_(WeightScope(claims, kActionHead, Category::dit), sizes.head) {
  if (sizes.backbone.project_to_dim > 0)
    eagle_linear_ = claim_linear(WeightScope(claims, kBackbone, Category::projector), "eagle_linear",
                                 sizes.backbone.text.hidden_size, sizes.backbone.project_to_dim);
  ignore_pooling_head(claims, WeightScope(claims, kVision, Category::skipped));
  if (language_model_.embed_tokens().name != "backbone.eagle_model.language_model.lm_head.weight")
    claims.ignore("backbone.eagle_model.language_model.lm_head.weight", "no text is generated");
  if (!sizes.adapter.use_vlln) claims.ignore_all("action_head.vl", "use_vlln is off: the adapter is the identity");
}

Value Gr00tN15Model::record_vision(Recorder& rec, const Layout& layout) const {
  const int64_t side = sizes_.backbone.embedding.side();
  const Value pixels = rec.input("pixels", DType::f32, {static_cast<int64_t>(layout.grids.size()), 3, side, side});
  const Value x = embeddings_.record(rec, pixels);
  return rec.tap("vision.out", rec.linear(vision_model_.record(rec, x, frame_segments(layout.grids)), mlp1_));
}

Value Gr00tN15Model::record_features(Recorder& rec, const Layout& layout, Value merged) const {
  const Value input_ids = rec.input("input_ids", DType::i64, {layout.text.tokens()});
  const Value h = language_model_.record(rec, input_ids, layout.text, {merged, {}});
  const Value features = rec.rms_norm(h, norm_, static_cast<float>(sizes_.backbone.text.rms_norm_eps));
  return rec.tap("llm.out", eagle_linear_.weight ? rec.linear(features, eagle_linear_) : features);
}

Program Gr00tN15Model::record(const Layout& layout, int64_t slot, int64_t steps) const {
  Recorder rec;
  const ActionHeadConfig& head = action_head_.config();
  rec.begin_stage("vision");
  const Value merged = record_vision(rec, layout);
  rec.begin_stage("llm");
  const Value features = record_features(rec, layout, merged);
  rec.begin_stage("adapter");
  const Value context = adapter_.record(rec, features);
  rec.begin_stage("denoise");
  const ActionHead::Inputs inputs{.state = rec.input("state", DType::f32, {1, head.state_dim}),
                                  .noise = rec.input("noise", DType::f32, {head.action_horizon, head.action_dim}),
                                  .context = context,
                                  .rows = {},
                                  .slot = slot,
                                  .steps = steps};
  rec.output("actions", action_head_.record(rec, inputs));
  return std::move(rec).finish();
}

}  // namespace ramet
