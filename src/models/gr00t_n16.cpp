#include "models/gr00t_n16.h"

#include "models/context_rows.h"
#include "models/patch_grid.h"

#include <fmt/format.h>

#include <cmath>

namespace ramet {
namespace {

constexpr auto kVision = "backbone.model.vision_model.vision_model";
constexpr auto kConnector = "backbone.model.mlp1";
constexpr auto kLanguageModel = "backbone.model.language_model";
constexpr auto kActionHead = "action_head";

constexpr int64_t kVisionHeadDim = 72;  // in no file

// Sizes read from the shapes of one part; the first problem is kept.
class StoredShapes {
 public:
  StoredShapes(const Checkpoint& checkpoint, std::string prefix)
      : file_(checkpoint.path().string()), claims_(checkpoint), scope_(claims_, std::move(prefix), Category::skipped) {}

  int64_t dim(std::string_view tensor, int axis) {
    const std::optional<Shape> shape = scope_.shape_of(tensor);
    if (!shape) return problem(Code::not_found, tensor, "this tensor", "none");
    if (axis >= shape->rank() || (*shape)[axis] < 1)
      return problem(Code::shape_mismatch, tensor, fmt::format("a size on axis {}", axis), str(*shape));
    return (*shape)[axis];
  }
  int64_t heads(std::string_view tensor, int64_t head_dim) {
    const int64_t rows = dim(tensor, 0);
    if (rows % head_dim == 0) return rows / head_dim;
    return problem(Code::shape_mismatch, tensor, fmt::format("a multiple of the head width {}", head_dim),
                   fmt::format("{} rows", rows));
  }
  int64_t count(std::string_view list) const { return scope_.count(list); }
  const Status& status() const { return status_; }

 private:
  int64_t problem(Code code, std::string_view tensor, std::string expected, std::string found) {
    if (status_)
      status_ =
          fail(code, fmt::format("{}: {}.{}", file_, scope_.prefix(), tensor), std::move(expected), std::move(found));
    return 1;
  }

  std::string file_;
  WeightClaims claims_;
  WeightScope scope_;
  Status status_;
};

Qwen3TextConfig stored_text_sizes(StoredShapes& stored) {
  const int64_t head_dim = stored.dim("model.layers.0.self_attn.q_norm.weight", 0);
  return {.num_hidden_layers = stored.count("model.layers"),
          .hidden_size = stored.dim("model.embed_tokens.weight", 1),
          .num_attention_heads = stored.heads("model.layers.0.self_attn.q_proj.weight", head_dim),
          .num_key_value_heads = stored.heads("model.layers.0.self_attn.k_proj.weight", head_dim),
          .head_dim = head_dim,
          .intermediate_size = stored.dim("model.layers.0.mlp.gate_proj.weight", 0),
          .vocab_size = stored.dim("model.embed_tokens.weight", 0),
          .rms_norm_eps = 1e-6,
          .rope_theta = 1e6,
          .mrope_section = {head_dim / 2, 0, 0}};
}

}  // namespace

Result<EagleBackboneSizes> stored_eagle_sizes(const Checkpoint& checkpoint) {
  StoredShapes vision(checkpoint, kVision), text(checkpoint, kLanguageModel);
  const int64_t hidden = vision.dim("post_layernorm.weight", 0);
  const int64_t rows = vision.dim("embeddings.position_embedding.weight", 0);
  EagleBackboneSizes sizes{
      .embedding = {.hidden_size = hidden,
                    .patch_width = vision.dim("embeddings.patch_embedding.weight", 1),
                    .position_side = static_cast<int64_t>(std::lround(std::sqrt(static_cast<double>(rows))))},
      .vision = {.hidden_size = hidden,
                 .num_heads = vision.heads("encoder.layers.0.self_attn.q_proj.weight", kVisionHeadDim),
                 .intermediate_size = vision.dim("encoder.layers.0.mlp.fc1.weight", 0),
                 .depth = vision.count("encoder.layers")},
      .text = stored_text_sizes(text)};
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
