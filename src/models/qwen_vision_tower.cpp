#include "models/qwen_vision_tower.h"

#include "models/layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ramet {
namespace {

constexpr float kEps = 1e-6F;  // hard-coded in the original; not in the config

std::string numbered(std::string_view name, size_t index) { return fmt::format("{}.{}", name, index); }

}  // namespace

VisionAttention::VisionAttention(const WeightScope& scope, const QwenVisionConfig& config)
    : hidden_size_(config.hidden_size),
      num_heads_(config.num_heads),
      qkv_(claim_linear(scope, "qkv", config.hidden_size, 3 * config.hidden_size)),
      proj_(claim_linear(scope, "proj", config.hidden_size, config.hidden_size)) {}

Value VisionAttention::record(Recorder& rec, Value x, const VisionContext& context) const {
  const Value qkv = rec.linear(x, qkv_);
  const auto part = [&](int64_t i) {
    return rec.heads(rec.slice_cols(qkv, i * hidden_size_, hidden_size_), num_heads_);
  };
  const Value q = rec.rope(part(0), context.cos, context.sin);
  const Value k = rec.rope(part(1), context.cos, context.sin);
  const double head_dim = static_cast<double>(hidden_size_ / num_heads_);
  const ops::Attention attributes{
      .scale = static_cast<float>(1.0 / std::sqrt(head_dim)), .causal = false, .segments = context.segments};
  return rec.linear(rec.attention(q, k, part(2), attributes), proj_);
}

VisionMlp::VisionMlp(const WeightScope& scope, const QwenVisionConfig& config)
    : linear_fc1_(claim_linear(scope, "linear_fc1", config.hidden_size, config.intermediate_size)),
      linear_fc2_(claim_linear(scope, "linear_fc2", config.intermediate_size, config.hidden_size)) {}

Value VisionMlp::record(Recorder& rec, Value x) const {
  return rec.linear(rec.gelu_tanh(rec.linear(x, linear_fc1_)), linear_fc2_);
}

VisionBlock::VisionBlock(const WeightScope& scope, const QwenVisionConfig& config)
    : norm1_(claim_norm(scope, "norm1", config.hidden_size)),
      norm2_(claim_norm(scope, "norm2", config.hidden_size)),
      attn_(scope.scope("attn"), config),
      mlp_(scope.scope("mlp"), config) {}

// h = x + Attn(LN1(x));  y = h + MLP(LN2(h))
Value VisionBlock::record(Recorder& rec, Value x, const VisionContext& context) const {
  const Value h = rec.add(x, attn_.record(rec, rec.layer_norm(x, norm1_, kEps), context));
  return rec.add(h, mlp_.record(rec, rec.layer_norm(h, norm2_, kEps)));
}

PatchMerger::PatchMerger(const WeightScope& scope, const QwenVisionConfig& config, NormAt norm_at)
    : hidden_size_(config.hidden_size), merge_rows_(config.merge_rows()), norm_at_(norm_at) {
  const int64_t folded = hidden_size_ * merge_rows_;
  norm_ = claim_norm(scope, "norm", norm_at == NormAt::patch ? hidden_size_ : folded);
  linear_fc1_ = claim_linear(scope, "linear_fc1", folded, folded);
  linear_fc2_ = claim_linear(scope, "linear_fc2", folded, config.out_hidden_size);
}

Value PatchMerger::record(Recorder& rec, Value x) const {
  const auto fold = [&](Value rows) {
    return rec.reshape(rows, {rec.shape(rows)[0] / merge_rows_, hidden_size_ * merge_rows_});
  };
  const Value n =
      norm_at_ == NormAt::patch ? fold(rec.layer_norm(x, norm_, kEps)) : rec.layer_norm(fold(x), norm_, kEps);
  return rec.linear(rec.gelu_erf(rec.linear(n, linear_fc1_)), linear_fc2_);
}

QwenVisionTower::QwenVisionTower(const WeightScope& scope, const QwenVisionConfig& config)
    : config_(config), merger_(scope.scope("merger", Category::vision_merger), config, PatchMerger::NormAt::patch) {
  const int64_t hidden = config.hidden_size, patch = config.patch_size;
  const Weight kernel =
      scope.weight("patch_embed.proj.weight", {hidden, config.in_channels, config.temporal_patch_size, patch, patch});
  patch_embed_ = {.weight = reshaped(kernel, {hidden, config.patch_width()}),
                  .bias = scope.weight("patch_embed.proj.bias", {hidden})};
  pos_embed_ =
      scope.scope("pos_embed", Category::vision_host).weight("weight", {config.num_position_embeddings, hidden});
  for (size_t i = 0; i < static_cast<size_t>(config.depth); ++i)
    blocks_.emplace_back(scope.scope(numbered("blocks", i)), config);
  for (size_t k = 0; k < config.deepstack_visual_indexes.size(); ++k)
    deepstack_mergers_.emplace_back(scope.scope(numbered("deepstack_merger_list", k), Category::vision_merger), config,
                                    PatchMerger::NormAt::folded);
}

// The kernel of the convolution equals its stride, so it is one product with the flattened kernel.
Value QwenVisionTower::record_patch_embed(Recorder& rec, Value pixels, std::span<const PatchCoordinate> patches,
                                          Frames frames) const {
  ops::ColumnCopies copies;
  if (frames == Frames::repeated)
    copies = {.count = config_.temporal_patch_size, .width = config_.patch_size * config_.patch_size};
  const Value x = rec.tap("vision.patch_proj", rec.linear(pixels, patch_embed_, copies));
  const PositionCorners corners = position_corners(patches, config_.position_side());
  const Shape corner_shape{static_cast<int64_t>(patches.size()), 4};
  const Value positions = rec.interpolate_rows(rec.weight(pos_embed_), rec.index(corner_shape, corners.index),
                                               rec.constant(corner_shape, corners.weight));
  return rec.tap("vision.patch_embed", rec.add(x, positions));
}

VisionContext QwenVisionTower::record_context(Recorder& rec, std::span<const PatchCoordinate> patches,
                                              std::span<const Grid> grids) const {
  const RotaryTables tables = patch_rotary(patches, config_.head_dim(), config_.rope_theta,
                                           config_.rope_bf16 ? RotaryRounding::bf16 : RotaryRounding::exact);
  const Shape shape{static_cast<int64_t>(patches.size()), config_.head_dim() / 2};
  const Value cos = rec.constant(shape, tables.cos), sin = rec.constant(shape, tables.sin);
  rec.tap("vision.rope.cos", rec.concat_cols({cos, cos}));
  rec.tap("vision.rope.sin", rec.concat_cols({sin, sin}));
  return {.cos = cos, .sin = sin, .segments = frame_segments(grids)};
}

QwenVisionTower::Output QwenVisionTower::record(Recorder& rec, Value pixels, std::span<const Grid> grids,
                                                Frames frames) const {
  const std::vector<PatchCoordinate> patches = patch_coordinates(grids, config_.spatial_merge_size);
  Output output;
  Value x = record_patch_embed(rec, pixels, patches, frames);
  const VisionContext context = record_context(rec, patches, grids);
  for (size_t i = 0; i < blocks_.size(); ++i) {
    x = rec.tap(numbered("vision.block", i), blocks_[i].record(rec, x, context));
    const size_t level = output.deepstack.size();
    if (level < deepstack_mergers_.size() && config_.deepstack_visual_indexes[level] == static_cast<int64_t>(i))
      output.deepstack.push_back(
          rec.tap(numbered("vision.deepstack", level), deepstack_mergers_[level].record(rec, x)));
  }
  output.merged = rec.tap("vision.out", merger_.record(rec, x));
  return output;
}

}  // namespace ramet
