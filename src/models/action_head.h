// The flow-matching action head: from the robot's state, noise and the backbone's rows to a normalised action chunk.
//
//   s = state_encoder(state)                                    one token per row
//   for each step k of K:  t = trunc(k / K * num_timestep_buckets)
//     a = action_encoder(x, t) + position_embedding[0..horizon-1]
//     v = last `horizon` rows of action_decoder(dit([s; future_tokens; a], t))
//     x = x + v / K
//
// Each embodiment has its own slot in the encoders and the decoder: W [slots, in, out], y = x W[slot] + b[slot].
// state [state tokens, state_dim]; x, v [horizon, action_dim].  Source: spec gr00t-n1.7, sections 5 and 6.
#pragma once

#include "models/dit.h"
#include "program/recorder.h"
#include "weights/claims.h"

namespace ramet {

struct ActionHeadConfig {
  int64_t hidden_size = 0;          // inside the state encoder and the decoder
  int64_t input_embedding_dim = 0;  // width of the denoiser's rows
  int64_t state_dim = 0;            // of one token: N1.7 puts its whole history into one
  int64_t action_dim = 0;
  int64_t action_horizon = 0;
  int64_t max_num_embodiments = 0;
  int64_t max_seq_len = 0;        // rows of position_embedding
  int64_t num_future_tokens = 0;  // learned rows between state and actions: N1.5
  bool add_pos_embed = true;
  int64_t num_inference_timesteps = 0;
  int64_t num_timestep_buckets = 0;
  DitConfig dit;
};

// y = x W[slot] + b[slot]
class SlottedLinear {
 public:
  SlottedLinear() = default;
  SlottedLinear(const WeightScope& scope, std::string_view name, int64_t slots, int64_t in, int64_t out);
  Value record(Recorder& rec, Value x, int64_t slot) const;

 private:
  Weight weight_;  // [slots, in, out]
  Weight bias_;    // [slots, out]
};

// layer2(relu(layer1(x)))
class SlottedMlp {
 public:
  SlottedMlp(const WeightScope& scope, int64_t slots, int64_t in, int64_t hidden, int64_t out);
  Value record(Recorder& rec, Value x, int64_t slot) const;

 private:
  SlottedLinear layer1_, layer2_;
};

// W3(silu(W2([W1(x) | tau(t)])))      tau: action_time_features, equal for all rows
class ActionEncoder {
 public:
  ActionEncoder(const WeightScope& scope, int64_t slots, int64_t action_dim, int64_t dim);
  Value record(Recorder& rec, Value x, int64_t timestep, int64_t slot) const;

 private:
  int64_t dim_;
  SlottedLinear w1_, w2_, w3_;
};

class ActionHead {
 public:
  ActionHead(const WeightScope& scope, const ActionHeadConfig& config);

  struct Inputs {
    Value state;    // [state tokens, state_dim]
    Value noise;    // [action_horizon, action_dim]
    Value context;  // [tokens, cross_attention_dim]
    ContextRows rows;
    int64_t slot;
    int64_t steps;  // denoising steps
  };
  Value record(Recorder& rec, const Inputs& inputs) const;  // [action_horizon, action_dim]

  const ActionHeadConfig& config() const { return config_; }

 private:
  Value record_velocity(Recorder& rec, Value x, Value state_token, const Dit::Prepared& prepared, size_t step,
                        int64_t timestep, int64_t slot) const;

  ActionHeadConfig config_;
  SlottedMlp state_encoder_, action_decoder_;
  ActionEncoder action_encoder_;
  Weight position_embedding_;
  Weight future_tokens_;  // absent when there are none
  Dit dit_;
};

}  // namespace ramet
