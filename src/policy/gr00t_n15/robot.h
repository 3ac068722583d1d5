// One robot of a GR00T N1.5 checkpoint under a data configuration: between its raw observations and actions and the
// tensors of the model, all but pictures and text.
//
// Views, state keys and action keys stand in the order of the data configuration. As in the original, an observation
// may hold more views and state keys than the robot has. Source: spec gr00t-n1.5, sections 5.1, 5.3 and 8.
#pragma once

#include "policy/gr00t_n15/key_transform.h"
#include "policy/robot/action_decoder.h"

#include <ramet/types.h>

namespace ramet {

// Of one view. The published data configurations have one; the original takes more and gives each its 256 tokens.
inline constexpr size_t kMaxN15Frames = 16;

struct N15Widths {
  int64_t max_state_dim = 64;
  int64_t max_action_dim = 32;
};

class N15Robot {
 public:
  // Errors: as KeyTransform; not_found (a view), shape_mismatch (wider than the model). The hint names the presets
  // that fit the robot.
  static Result<N15Robot> make(const RobotMetadata& metadata, const DataConfig& config, const N15Widths& widths);

  const std::string& tag() const { return tag_; }
  int64_t slot() const { return slot_; }
  const DataConfig& config() const { return config_; }
  const std::vector<KeyTransform>& state() const { return state_; }
  const std::vector<KeyTransform>& actions() const { return actions_; }
  int64_t horizon() const { return config_.action_horizon; }

  // Errors, all naming what the robot needs: not_found, shape_mismatch, not_finite.
  Status check(const Observation& observation) const;
  // [1, max_state_dim] f32, zeros after the last key. The observation has passed check.
  Result<Buffer> state_row(const RawState& state) const;
  // normalized [rows >= horizon, cols] f32; actions in the order of the keys. Errors: no_memory.
  Result<std::vector<Action>> decode(ConstView normalized) const;

 private:
  Status check_views(const Observation& observation) const;
  Status check_state(const Observation& observation) const;

  std::string tag_;
  int64_t slot_ = 0;
  N15Widths widths_;
  DataConfig config_;
  std::map<std::string, std::optional<ImageSize>> views_;
  std::vector<KeyTransform> state_, actions_;
};

// The configuration that a user named, or for an empty name the one preset that has exactly the robot's views and keys.
// Errors: those of load_data_config; usage when none or several presets fit.
Result<DataConfig> choose_data_config(const std::string& name_or_file, const RobotMetadata& metadata);

}  // namespace ramet
