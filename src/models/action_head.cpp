#include "models/action_head.h"

#include "models/layers.h"
#include "models/timestep_features.h"

#include <fmt/format.h>

namespace ramet {
namespace {

Weight slot_of(Weight weight, int64_t slot) {
  const Shape part(weight.view.shape().dims().subspan(1));
  const int64_t bytes = part.elements() * size_bytes(weight.view.dtype());
  weight.view = {weight.view.bytes() + slot * bytes, weight.view.dtype(), part};
  weight.slot = slot;
  return weight;
}

// The same for every row.
std::vector<float> repeated(const std::vector<float>& row, int64_t rows) {
  std::vector<float> values;
  for (int64_t r = 0; r < rows; ++r) values.insert(values.end(), row.begin(), row.end());
  return values;
}

}  // namespace

SlottedLinear::SlottedLinear(const WeightScope& scope, std::string_view name, int64_t slots, int64_t in, int64_t out) {
  const WeightScope layer = scope.scope(name);
  weight_ = layer.weight("W", {slots, in, out});
  bias_ = layer.weight("b", {slots, out});
}

Value SlottedLinear::record(Recorder& rec, Value x, int64_t slot) const {
  return rec.linear_in_out(x, {.weight = slot_of(weight_, slot), .bias = slot_of(bias_, slot)});
}

SlottedMlp::SlottedMlp(const WeightScope& scope, int64_t slots, int64_t in, int64_t hidden, int64_t out)
    : layer1_(scope, "layer1", slots, in, hidden), layer2_(scope, "layer2", slots, hidden, out) {}

Value SlottedMlp::record(Recorder& rec, Value x, int64_t slot) const {
  return layer2_.record(rec, rec.relu(layer1_.record(rec, x, slot)), slot);
}

ActionEncoder::ActionEncoder(const WeightScope& scope, int64_t slots, int64_t action_dim, int64_t dim)
    : dim_(dim),
      w1_(scope, "W1", slots, action_dim, dim),
      w2_(scope, "W2", slots, 2 * dim, dim),
      w3_(scope, "W3", slots, dim, dim) {}

Value ActionEncoder::record(Recorder& rec, Value x, int64_t timestep, int64_t slot) const {
  const int64_t rows = rec.shape(x)[0];
  const Value a = w1_.record(rec, x, slot);
  const Value time = rec.constant({rows, dim_}, repeated(action_time_features(timestep, dim_), rows));
  return w3_.record(rec, rec.silu(w2_.record(rec, rec.concat_cols({a, time}), slot)), slot);
}

ActionHead::ActionHead(const WeightScope& scope, const ActionHeadConfig& config)
    : config_(config),
      state_encoder_(scope.scope("state_encoder", Category::encoders_slotted), config.max_num_embodiments,
                     config.state_dim, config.hidden_size, config.input_embedding_dim),
      action_decoder_(scope.scope("action_decoder", Category::encoders_slotted), config.max_num_embodiments,
                      config.dit.output_dim, config.hidden_size, config.action_dim),
      action_encoder_(scope.scope("action_encoder", Category::encoders_slotted), config.max_num_embodiments,
                      config.action_dim, config.input_embedding_dim),
      dit_(scope.scope("model", Category::dit), config.dit) {
  if (config.add_pos_embed)
    position_embedding_ = scope.scope("position_embedding", Category::encoders)
                              .weight("weight", {config.max_seq_len, config.input_embedding_dim});
  if (config.num_future_tokens > 0)
    future_tokens_ = scope.scope("future_tokens", Category::encoders)
                         .weight("weight", {config.num_future_tokens, config.input_embedding_dim});
}

Value ActionHead::record_velocity(Recorder& rec, Value x, Value state_token, const Dit::Prepared& prepared, size_t step,
                                  int64_t timestep, int64_t slot) const {
  Value a = action_encoder_.record(rec, x, timestep, slot);
  if (position_embedding_)
    a = rec.add(a, rec.slice_rows(rec.parameter(position_embedding_), 0, config_.action_horizon));
  const Value rows = future_tokens_ ? rec.concat_rows({state_token, rec.parameter(future_tokens_), a})
                                    : rec.concat_rows({state_token, a});
  const Value tokens = rec.tap(fmt::format("denoise.{}.tokens", step), rows);
  const Value decoded = action_decoder_.record(rec, dit_.record(rec, tokens, prepared, step), slot);
  const int64_t first = rec.shape(decoded)[0] - config_.action_horizon;
  return rec.slice_rows(decoded, first, config_.action_horizon);
}

Value ActionHead::record(Recorder& rec, const Inputs& inputs) const {
  const Value state_token = rec.tap("denoise.state", state_encoder_.record(rec, inputs.state, inputs.slot));
  const std::vector<int64_t> timesteps = timestep_buckets(inputs.steps, config_.num_timestep_buckets);
  const Dit::Prepared prepared = dit_.prepare(rec, timesteps, inputs.context, inputs.rows);
  const auto dt = static_cast<float>(1.0 / static_cast<double>(inputs.steps));
  Value x = inputs.noise;
  for (size_t step = 0; step < timesteps.size(); ++step) {
    const Value v = record_velocity(rec, x, state_token, prepared, step, timesteps[step], inputs.slot);
    rec.tap(fmt::format("denoise.{}.velocity", step), v);
    x = rec.tap(fmt::format("denoise.{}.actions", step), rec.add_scaled(x, dt, v));
  }
  return rec.tap("actions.normalized", x);
}

}  // namespace ramet
