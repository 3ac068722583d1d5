// From the raw state of a robot to the input of the state encoder.
//
// Per key, in the order of state.modality_keys, the first rule that fits; v is float32, statistics are float64:
//
//   sin/cos     [sin(v), cos(v)]                            2 D columns
//   mean/std    (v - mean) / std; v where std = 0
//   bounds      n = float32((v - lo) / (hi - lo)), 2 n - 1 in float32, clipped to [-1, 1] if clip_outliers;
//               0 where |hi - lo| <= 1e-8 + 1e-5 |lo|; lo, hi = q01, q99 with use_percentiles, else min, max
//
// The columns of all keys stand side by side, zeros fill up to max_state_dim. exclude_state makes everything zero.
// Source: spec gr00t-n1.7, section 3.5.
#pragma once

#include "policy/robot/processor_config.h"
#include "policy/robot/raw_state.h"
#include "policy/robot/statistics.h"
#include "tensor/buffer.h"

#include <ramet/error.h>

namespace ramet {

struct StateField {
  enum class Rule { sin_cos, mean_std, bounds };

  std::string key;
  Rule rule = Rule::bounds;
  int64_t dims = 0;                  // of the raw state; 0 when unknown: a sin/cos key without statistics
  std::vector<double> shift, scale;  // lo and hi - lo, or mean and std

  int64_t columns(int64_t raw_dims) const { return rule == Rule::sin_cos ? 2 * raw_dims : raw_dims; }
};

class StateProcessor {
 public:
  // Errors: not_found, invalid_file, when the statistics lack what a key needs; shape_mismatch over max_state_dim.
  static Result<StateProcessor> make(const ProcessorConfig& config, const Modality& state, const Statistics& statistics,
                                     const std::string& tag);

  const std::vector<StateField>& fields() const { return fields_; }
  int64_t history() const { return history_; }
  int64_t max_state_dim() const { return max_state_dim_; }

  // `where` names the observation. Errors, all naming what the robot needs: not_found, surplus, shape_mismatch,
  // not_finite.
  Status check(const RawState& state, const std::string& where) const;
  // [history, max_state_dim] f32.
  Result<Buffer> normalize(const RawState& state, const std::string& where) const;

 private:
  Status check_columns(const RawState& state, const std::string& where) const;
  std::string needs() const;

  std::vector<StateField> fields_;
  int64_t history_ = 1;
  int64_t max_state_dim_ = 0;
  bool exclude_state_ = false;
  bool clip_outliers_ = true;
};

}  // namespace ramet
