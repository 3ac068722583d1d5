#include "models/siglip_encoder.h"

#include "models/layers.h"

#include <fmt/format.h>

#include <cmath>

namespace ramet {

SiglipAttention::SiglipAttention(const WeightScope& scope, const SiglipConfig& config)
    : num_heads_(config.num_heads),
      scale_(static_cast<float>(1.0 / std::sqrt(static_cast<double>(config.hidden_size / config.num_heads)))),
      q_proj_(claim_linear(scope, "q_proj", config.hidden_size, config.hidden_size)),
      k_proj_(claim_linear(scope, "k_proj", config.hidden_size, config.hidden_size)),
      v_proj_(claim_linear(scope, "v_proj", config.hidden_size, config.hidden_size)),
      out_proj_(claim_linear(scope, "out_proj", config.hidden_size, config.hidden_size)) {}

Value SiglipAttention::record(Recorder& rec, Value x, std::span<const ops::AttentionSegment> segments) const {
  const auto project = [&](const LinearWeights& layer) { return rec.heads(rec.linear(x, layer), num_heads_); };
  const ops::Attention attributes{.scale = scale_, .causal = false, .segments = {segments.begin(), segments.end()}};
  return rec.linear(rec.attention(project(q_proj_), project(k_proj_), project(v_proj_), attributes), out_proj_);
}

SiglipBlock::SiglipBlock(const WeightScope& scope, const SiglipConfig& config)
    : eps_(config.eps),
      layer_norm1_(claim_norm(scope, "layer_norm1", config.hidden_size)),
      layer_norm2_(claim_norm(scope, "layer_norm2", config.hidden_size)),
      self_attn_(scope.scope("self_attn"), config),
      fc1_(claim_linear(scope, "mlp.fc1", config.hidden_size, config.intermediate_size)),
      fc2_(claim_linear(scope, "mlp.fc2", config.intermediate_size, config.hidden_size)) {}

Value SiglipBlock::record(Recorder& rec, Value x, std::span<const ops::AttentionSegment> segments) const {
  const Value h = rec.add(x, self_attn_.record(rec, rec.layer_norm(x, layer_norm1_, eps_), segments));
  const Value u = rec.layer_norm(h, layer_norm2_, eps_);
  return rec.add(h, rec.linear(rec.gelu_tanh(rec.linear(u, fc1_)), fc2_));
}

SiglipEncoder::SiglipEncoder(const WeightScope& scope, const SiglipConfig& config)
    : config_(config), post_layernorm_(claim_norm(scope, "post_layernorm", config.hidden_size)) {
  for (int64_t i = 0; i < config.depth; ++i)
    layers_.emplace_back(scope.scope(fmt::format("encoder.layers.{}", i)), config);
}

Value SiglipEncoder::record(Recorder& rec, Value x, std::span<const ops::AttentionSegment> segments) const {
  for (size_t i = 0; i < layers_.size(); ++i)
    x = rec.tap(fmt::format("vision.block.{}", i), layers_[i].record(rec, x, segments));
  return rec.tap("vision.post_norm", rec.layer_norm(x, post_layernorm_, config_.eps));
}

void ignore_pooling_head(WeightClaims& claims, const WeightScope& vision_model) {
  claims.ignore_all(vision_model.prefix() + ".head.", "the pooling head; policies use the features of all patches");
}

}  // namespace ramet
