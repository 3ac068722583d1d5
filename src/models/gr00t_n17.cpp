#include "models/gr00t_n17.h"

#include "models/context_rows.h"

namespace ramet {
namespace {

constexpr auto kVisual = "backbone.model.model.visual";
constexpr auto kLanguageModel = "backbone.model.model.language_model";
constexpr auto kActionHead = "action_head";

}  // namespace

Gr00tN17Depths stored_depths(const Checkpoint& checkpoint) {
  WeightClaims none(checkpoint);
  const auto count = [&](const char* part, std::string_view list) {
    return WeightScope(none, part, Category::skipped).count(list);
  };
  return {.vision_blocks = count(kVisual, "blocks"),
          .text_layers = count(kLanguageModel, "layers"),
          .vl_self_attention_blocks = count(kActionHead, "vl_self_attention.transformer_blocks"),
          .dit_blocks = count(kActionHead, "model.transformer_blocks")};
}

Gr00tN17Model::Gr00tN17Model(WeightClaims& claims, const Gr00tN17Sizes& sizes)
    : visual_(WeightScope(claims, kVisual, Category::vision), sizes.vision),
      language_model_(WeightScope(claims, kLanguageModel, Category::llm), sizes.text),
      adapter_(WeightScope(claims, kActionHead, Category::vl_self_attention), sizes.adapter),
      action_head_(WeightScope(claims, kActionHead, Category::dit), sizes.head) {
  claims.ignore("backbone.model.lm_head.weight", "tied to the token table, and no text is generated");
  claims.ignore("backbone.model.model.language_model.norm.weight", "the features are taken before the final norm");
}

Program Gr00tN17Model::record(const Layout& layout, int64_t slot, int64_t steps) const {
  Recorder rec;
  const QwenVisionConfig& vision = visual_.config();
  const ActionHeadConfig& head = action_head_.config();
  const Value pixels = rec.input("pixels", DType::f32, {count_patches(layout.grids), vision.patch_width()});
  const Value input_ids = rec.input("input_ids", DType::i64, {layout.text.tokens()});
  const Value state = rec.input("state", DType::f32, {1, head.state_dim});
  const Value noise = rec.input("noise", DType::f32, {head.action_horizon, head.action_dim});

  rec.begin_stage("vision");
  const QwenVisionTower::Output rows = visual_.record(rec, pixels, layout.grids, layout.frames);
  rec.begin_stage("llm");
  const Value features = language_model_.record(rec, input_ids, layout.text, {rows.merged, rows.deepstack});
  rec.tap("llm.out", features);
  rec.begin_stage("adapter");
  const Value context = adapter_.record(rec, features);
  rec.begin_stage("denoise");
  const ActionHead::Inputs inputs{.state = state,
                                  .noise = noise,
                                  .context = context,
                                  .rows = context_rows(layout.text),
                                  .slot = slot,
                                  .steps = steps};
  rec.output("actions", action_head_.record(rec, inputs));
  return std::move(rec).finish();
}

}  // namespace ramet
