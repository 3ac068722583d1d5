#include "models/qwen3_text_model.h"

#include "models/layers.h"
#include "models/rotary.h"

#include <fmt/format.h>

#include <cmath>

namespace ramet {

TextAttention::TextAttention(const WeightScope& scope, const Qwen3TextConfig& config)
    : config_(config),
      q_proj_(
          claim_linear_without_bias(scope, "q_proj", config.hidden_size, config.num_attention_heads * config.head_dim)),
      k_proj_(
          claim_linear_without_bias(scope, "k_proj", config.hidden_size, config.num_key_value_heads * config.head_dim)),
      v_proj_(
          claim_linear_without_bias(scope, "v_proj", config.hidden_size, config.num_key_value_heads * config.head_dim)),
      o_proj_(
          claim_linear_without_bias(scope, "o_proj", config.num_attention_heads * config.head_dim, config.hidden_size)),
      q_norm_(scope.weight("q_norm.weight", {config.head_dim})),
      k_norm_(scope.weight("k_norm.weight", {config.head_dim})) {}

Value TextAttention::record(Recorder& rec, Value x, Value cos, Value sin) const {
  const auto eps = static_cast<float>(config_.rms_norm_eps);
  const Value q = rec.heads(rec.linear(x, q_proj_), config_.num_attention_heads);
  const Value k = rec.heads(rec.linear(x, k_proj_), config_.num_key_value_heads);
  const Value v = rec.heads(rec.linear(x, v_proj_), config_.num_key_value_heads);
  const int64_t tokens = rec.shape(x)[0];
  const ops::Attention attributes{.scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(config_.head_dim))),
                                  .causal = true,
                                  .segments = {{0, tokens, 0, tokens}}};
  const Value turned_q = rec.rope(rec.rms_norm(q, q_norm_, eps), cos, sin);
  const Value turned_k = rec.rope(rec.rms_norm(k, k_norm_, eps), cos, sin);
  return rec.linear(rec.attention(turned_q, turned_k, v, attributes), o_proj_);
}

TextLayer::TextLayer(const WeightScope& scope, const Qwen3TextConfig& config)
    : eps_(static_cast<float>(config.rms_norm_eps)),
      input_layernorm_(scope.weight("input_layernorm.weight", {config.hidden_size})),
      post_attention_layernorm_(scope.weight("post_attention_layernorm.weight", {config.hidden_size})),
      self_attn_(scope.scope("self_attn"), config),
      gate_proj_(claim_linear_without_bias(scope, "mlp.gate_proj", config.hidden_size, config.intermediate_size)),
      up_proj_(claim_linear_without_bias(scope, "mlp.up_proj", config.hidden_size, config.intermediate_size)),
      down_proj_(claim_linear_without_bias(scope, "mlp.down_proj", config.intermediate_size, config.hidden_size)) {}

Value TextLayer::record_mlp(Recorder& rec, Value u) const {
  return rec.linear(rec.multiply(rec.silu(rec.linear(u, gate_proj_)), rec.linear(u, up_proj_)), down_proj_);
}

Value TextLayer::record(Recorder& rec, Value x, Value cos, Value sin) const {
  const Value h = rec.add(x, self_attn_.record(rec, rec.rms_norm(x, input_layernorm_, eps_), cos, sin));
  return rec.add(h, record_mlp(rec, rec.rms_norm(h, post_attention_layernorm_, eps_)));
}

Qwen3TextModel::Qwen3TextModel(const WeightScope& scope, const Qwen3TextConfig& config)
    : Qwen3TextModel(scope, scope.scope("embed_tokens", Category::llm_embed), config) {}

Qwen3TextModel::Qwen3TextModel(const WeightScope& scope, const WeightScope& embed_tokens, const Qwen3TextConfig& config)
    : config_(config), embed_tokens_(embed_tokens.weight("weight", {config.vocab_size, config.hidden_size})) {
  for (int64_t l = 0; l < config.num_hidden_layers; ++l)
    layers_.emplace_back(scope.scope(fmt::format("layers.{}", l)), config);
}

Value Qwen3TextModel::record(Recorder& rec, Value input_ids, const TextLayout& layout, const VisualRows& visual) const {
  const RotaryTables tables =
      mrope_tables(layout.positions, config_.head_dim, config_.rope_theta, config_.mrope_section,
                   config_.rope_bf16 ? RotaryRounding::bf16 : RotaryRounding::exact);
  const Shape table_shape{layout.tokens(), config_.head_dim / 2};
  const Value cos = rec.constant(table_shape, tables.cos), sin = rec.constant(table_shape, tables.sin);
  const Value rows = rec.index({static_cast<int64_t>(layout.visual_rows.size())}, layout.visual_rows);

  Value h = rec.gather_rows(rec.weight(embed_tokens_), input_ids);
  if (visual.merged.valid()) h = rec.replace_rows(h, visual.merged, rows);
  rec.tap("llm.embed", h);
  for (size_t l = 0; l < layers_.size(); ++l) {
    h = layers_[l].record(rec, h, cos, sin);
    if (l < visual.deepstack.size()) h = rec.add_to_rows(h, visual.deepstack[l], rows);
    rec.tap(fmt::format("llm.block.{}", l), h);
  }
  return h;
}

}  // namespace ramet
