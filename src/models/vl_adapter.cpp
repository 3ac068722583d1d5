#include "models/vl_adapter.h"

#include "models/layers.h"

#include <fmt/format.h>

namespace ramet {
namespace {

constexpr float kEps = 1e-5F;

}  // namespace

VlSelfAttentionBlock::VlSelfAttentionBlock(const WeightScope& scope, const VlAdapterConfig& config)
    : norm1_(claim_norm(scope, "norm1", config.hidden_size)),
      norm3_(claim_norm(scope, "norm3", config.hidden_size)),
      attn1_(scope.scope("attn1"), {.query_dim = config.hidden_size,
                                    .kv_dim = config.hidden_size,
                                    .num_heads = config.num_attention_heads,
                                    .head_dim = config.attention_head_dim}),
      ff_(scope.scope("ff"), config.hidden_size) {}

Value VlSelfAttentionBlock::record(Recorder& rec, Value x) const {
  x = rec.add(x, attn1_.record_self(rec, rec.layer_norm(x, norm1_, kEps)));
  return rec.add(x, ff_.record(rec, rec.layer_norm(x, norm3_, kEps)));
}

VlAdapter::VlAdapter(const WeightScope& action_head, const VlAdapterConfig& config) : config_(config) {
  if (config.use_vlln) vlln_ = claim_norm(action_head.scope("", Category::vlln), "vlln", config.hidden_size);
  for (int64_t i = 0; i < config.num_layers; ++i)
    blocks_.emplace_back(
        action_head.scope(fmt::format("vl_self_attention.transformer_blocks.{}", i), Category::vl_self_attention),
        config);
}

Value VlAdapter::record(Recorder& rec, Value features) const {
  Value x = config_.use_vlln ? rec.layer_norm(features, vlln_, kEps) : features;
  rec.tap("adapter.in", x);
  for (size_t i = 0; i < blocks_.size(); ++i)
    x = rec.tap(fmt::format("adapter.block.{}", i), blocks_[i].record(rec, x));
  return rec.tap("adapter.out", x);
}

}  // namespace ramet
