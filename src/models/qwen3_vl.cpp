#include "models/qwen3_vl.h"

#include <fmt/format.h>

namespace ramet {

Qwen3VlModel::Qwen3VlModel(WeightClaims& claims, const QwenVisionConfig& vision, const Qwen3TextConfig& text)
    : visual_(WeightScope(claims, "model.visual", Category::vision), vision),
      language_model_(WeightScope(claims, "model.language_model", Category::llm), text) {
  norm_ = WeightScope(claims, "model.language_model.norm", Category::llm).weight("weight", {text.hidden_size});
  lm_head_ =
      text.tie_word_embeddings
          ? language_model_.embed_tokens()
          : WeightScope(claims, "lm_head", Category::lm_head).weight("weight", {text.vocab_size, text.hidden_size});
}

Program Qwen3VlModel::record(const Layout& layout) const {
  Recorder rec;
  const Value pixels = rec.input("pixels", DType::f32, {count_patches(layout.grids), visual_.config().patch_width()});
  const Value input_ids = rec.input("input_ids", DType::i64, {layout.text.tokens()});
  rec.begin_stage("vision");
  const QwenVisionTower::Output rows = visual_.record(rec, pixels, layout.grids, layout.frames);
  rec.begin_stage("llm");
  const Value h = language_model_.record(rec, input_ids, layout.text, {rows.merged, rows.deepstack});
  const auto eps = static_cast<float>(language_model_.config().rms_norm_eps);
  const Value hidden = rec.tap("llm.out", rec.rms_norm(h, norm_, eps));
  rec.output("hidden", hidden);
  rec.output("logits", rec.linear(rec.slice_rows(hidden, layout.text.tokens() - 1, 1), lm_head_));
  return std::move(rec).finish();
}

Program record_tower(const QwenVisionTower& tower, const std::vector<Grid>& grids, Frames frames) {
  Recorder rec;
  const Value pixels = rec.input("pixels", DType::f32, {count_patches(grids), tower.config().patch_width()});
  rec.begin_stage("vision");
  const QwenVisionTower::Output rows = tower.record(rec, pixels, grids, frames);
  rec.output("out", rows.merged);
  for (size_t k = 0; k < rows.deepstack.size(); ++k) rec.output(fmt::format("deepstack.{}", k), rows.deepstack[k]);
  return std::move(rec).finish();
}

}  // namespace ramet
