// What a client may choose for one call, in the `options` of get_action. Other options are accepted and ignored, as the
// original policies do; their names are kept for the log.
//
//   seed              integer >= 0, of the initial noise; item b of a batch uses seed + b
//   noise             [B,horizon,action_dim], or [horizon,action_dim] for a batch of one; replaces the seed
//   denoising_steps   integer
//
// Errors: invalid_value, shape_mismatch, not_finite.  Source: spec policy-server, section 11.8.
#pragma once

#include "server/wire/value.h"

#include <ramet/policy.h>

#include <optional>

namespace ramet::server {

struct CallOptions {
  std::optional<uint64_t> seed;
  std::vector<FloatArray> noise;  // one for each item; empty: none given
  int steps = 0;                  // 0: as the policy was opened
  std::vector<std::string> ignored;
};

struct CallLimits {
  int64_t batch = 1;
  std::vector<int64_t> noise_shape;  // of one item
  int64_t max_steps = 100;
};

// `options` may be null or nil.
Result<CallOptions> read_call_options(const Value* options, const CallLimits& limits);

}  // namespace ramet::server
