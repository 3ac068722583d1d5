#include "models/dit.h"

#include "models/layers.h"
#include "models/timestep_features.h"

#include <fmt/format.h>

namespace ramet {
namespace {

constexpr float kBlockEps = 1e-5F;
constexpr float kOutputEps = 1e-6F;
constexpr int64_t kTimestepChannels = 256;

enum ContextKind : size_t { kAll, kText, kImage };

std::vector<float> features_of(const std::vector<int64_t>& timesteps) {
  std::vector<float> features;
  for (const int64_t t : timesteps) {
    const std::vector<float> row = timestep_features(t, kTimestepChannels);
    features.insert(features.end(), row.begin(), row.end());
  }
  return features;
}

// One vector [dim] per step out of the columns begin..begin+dim of `modulation` [steps, 2 dim].
std::vector<Value> by_step(Recorder& rec, Value modulation, int64_t begin, int64_t dim) {
  std::vector<Value> vectors;
  for (int64_t step = 0; step < rec.shape(modulation)[0]; ++step)
    vectors.push_back(rec.reshape(rec.slice_cols(rec.slice_rows(modulation, step, 1), begin, dim), {dim}));
  return vectors;
}

AttentionSizes attention_sizes(const DitConfig& config, bool is_cross) {
  return {.query_dim = config.inner_dim(),
          .kv_dim = is_cross ? config.cross_attention_dim : config.inner_dim(),
          .num_heads = config.num_attention_heads,
          .head_dim = config.attention_head_dim};
}

}  // namespace

DitBlock::DitBlock(const WeightScope& scope, const DitConfig& config, bool is_cross)
    : is_cross_(is_cross),
      modulation_(claim_linear(scope.scope("norm1", Category::dit_precompute), "linear", config.inner_dim(),
                               2 * config.inner_dim())),
      attn1_(scope.scope("attn1"), attention_sizes(config, is_cross)),
      ff_(scope.scope("ff"), config.inner_dim()) {}

DitBlock::Prepared DitBlock::prepare(Recorder& rec, Value silu_temb, Value context) const {
  const Value modulation = rec.linear(silu_temb, modulation_);  // scale first
  const int64_t dim = rec.shape(modulation)[1] / 2;
  return {.scale = by_step(rec, modulation, 0, dim),
          .shift = by_step(rec, modulation, dim, dim),
          .keys = is_cross_ ? attn1_.record_keys(rec, context) : CrossAttention::Keys{}};
}

Value DitBlock::record(Recorder& rec, Value z, const Prepared& prepared, size_t step) const {
  const Value n = rec.ada_layer_norm(z, prepared.scale[step], prepared.shift[step], kBlockEps);
  z = rec.add(z, is_cross_ ? attn1_.record(rec, n, prepared.keys) : attn1_.record_self(rec, n));
  return rec.add(z, ff_.record(rec, rec.layer_norm(z, kBlockEps)));
}

Dit::Dit(const WeightScope& scope, const DitConfig& config) : config_(config) {
  const int64_t dim = config.inner_dim();
  const WeightScope embedder = scope.scope("timestep_encoder.timestep_embedder", Category::dit_precompute);
  linear_1_ = claim_linear(embedder, "linear_1", kTimestepChannels, dim);
  linear_2_ = claim_linear(embedder, "linear_2", dim, dim);
  proj_out_1_ = claim_linear(scope.scope("", Category::dit_precompute), "proj_out_1", dim, 2 * dim);
  proj_out_2_ = claim_linear(scope, "proj_out_2", dim, config.output_dim);
  for (int64_t i = 0; i < config.num_layers; ++i)
    blocks_.emplace_back(scope.scope(fmt::format("transformer_blocks.{}", i)), config, i % 2 == 0);
}

Value Dit::record_silu_temb(Recorder& rec, const std::vector<int64_t>& timesteps) const {
  const Value features =
      rec.constant({static_cast<int64_t>(timesteps.size()), kTimestepChannels}, features_of(timesteps));
  return rec.silu(rec.linear(rec.silu(rec.linear(features, linear_1_)), linear_2_));
}

// Gathering the rows a block may see equals masking the others.
std::array<Value, 3> Dit::record_contexts(Recorder& rec, Value context, const ContextRows& rows) const {
  if (!config_.alternate_text_and_image) return {context, {}, {}};
  const auto gather = [&](const std::vector<int64_t>& index) {
    return rec.gather_rows(context, rec.index({static_cast<int64_t>(index.size())}, index));
  };
  return {context, gather(rows.text), gather(rows.image)};
}

size_t Dit::context_kind(size_t block) const {
  if (!config_.alternate_text_and_image) return kAll;
  return static_cast<int64_t>(block) % (2 * config_.attend_text_every_n_blocks) == 0 ? kText : kImage;
}

Dit::Prepared Dit::prepare(Recorder& rec, const std::vector<int64_t>& timesteps, Value context,
                           const ContextRows& rows) const {
  const Value silu_temb = record_silu_temb(rec, timesteps);
  const std::array<Value, 3> contexts = record_contexts(rec, context, rows);
  Prepared prepared;
  for (size_t i = 0; i < blocks_.size(); ++i)
    prepared.blocks.push_back(blocks_[i].prepare(rec, silu_temb, contexts[context_kind(i)]));
  const Value modulation = rec.linear(silu_temb, proj_out_1_);  // shift first, unlike the blocks
  const int64_t dim = config_.inner_dim();
  prepared.shift = by_step(rec, modulation, 0, dim);
  prepared.scale = by_step(rec, modulation, dim, dim);
  return prepared;
}

Value Dit::record(Recorder& rec, Value z, const Prepared& prepared, size_t step) const {
  for (size_t i = 0; i < blocks_.size(); ++i)
    z = rec.tap(fmt::format("denoise.{}.block.{}", step, i), blocks_[i].record(rec, z, prepared.blocks[i], step));
  return rec.linear(rec.ada_layer_norm(z, prepared.scale[step], prepared.shift[step], kOutputEps), proj_out_2_);
}

}  // namespace ramet
