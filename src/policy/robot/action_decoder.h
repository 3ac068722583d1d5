// From the normalised action chunk of the model to the commands of a robot.
//
// Each key of action.modality_keys owns the next D columns, D = length of its `action` statistics; rows beyond the
// horizon and columns beyond the last key are dropped. n is float32, the rest float64 until the final rounding:
//
//   bounds     u = (clip(n, -1, 1) + 1) / 2 * (hi - lo) + lo; lo, hi = q01, q99 with use_percentiles, else min, max
//   mean/std   u = n std + mean; n where std = 0
//   relative   (rep RELATIVE and use_relative_action) the statistics are relative_action's, row t for step t, bounds
//              always min, max; the reference is the last raw state of state_key
//     NON_EEF  a = ref + u
//     EEF      T = T_ref T_u, see pose.h
//
// Source: spec gr00t-n1.7, section 7.
#pragma once

#include "policy/robot/processor_config.h"
#include "policy/robot/raw_state.h"
#include "policy/robot/statistics.h"
#include "tensor/buffer.h"

#include <ramet/error.h>

namespace ramet {

struct ActionField {
  enum class Rule { bounds, mean_std };

  std::string key;
  Rule rule = Rule::bounds;
  int64_t first_column = 0;
  int64_t dims = 0;
  StatisticRows shift, scale;  // lo and hi - lo, or mean and std
  bool is_relative = false;
  ActionConfig config;
};

struct Action {
  std::string key;
  Buffer values;  // [horizon, dims] f32; an end effector of format DEFAULT gives [horizon, 4, 4]
};

class ActionDecoder {
 public:
  // Errors: not_found, invalid_file, shape_mismatch, when statistics, formats or state keys do not fit; unsupported for
  // rep DELTA without keep_delta_actions.
  static Result<ActionDecoder> make(const ProcessorConfig& config, const ModalityConfig& modality,
                                    const Statistics& statistics, const std::string& tag);

  const std::vector<ActionField>& fields() const { return fields_; }
  int64_t horizon() const { return horizon_; }
  int64_t columns() const { return columns_; }
  bool is_relative() const;  // needs the raw state

  // normalized [rows >= horizon, cols >= columns()] f32; actions in the order of the keys.
  // Errors: shape_mismatch, unsupported_dtype, not_found, not_finite, invalid_value (what should be a rotation is
  // none).
  Result<std::vector<Action>> decode(ConstView normalized, const RawState& state) const;

 private:
  Status check_input(ConstView normalized) const;
  Result<Action> decode_field(const ActionField& field, ConstView normalized, const RawState& state) const;

  std::vector<ActionField> fields_;
  int64_t horizon_ = 0;
  int64_t columns_ = 0;
  bool clip_ = true;
  ActionTransform transform_ = ActionTransform::none;
};

}  // namespace ramet
