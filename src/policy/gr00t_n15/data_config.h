// A data configuration of GR00T N1.5: which views, state keys and action keys a robot has, in which order, and how each
// is transformed. The checkpoint does not hold it.
//
//   {"video": ["ego_view"],
//    "state": [["left_arm", "sin_cos"], ["eef_quat", "to_rotation_6d", "min_max"]],
//    "action": [["left_arm", "min_max"], ["gripper", "binary"], ["eef_position"]],
//    "language": "annotation.human.action.task_description",
//    "action_horizon": 16}
//
// A key is followed by its steps: a change of the rotation's format, then a normalisation or sin_cos; none of both is
// the raw value. Files have the same form as the built-in presets.
// Errors: not_found, invalid_file, invalid_value, with file and key. Source: spec gr00t-n1.5, section 10.
#pragma once

#include "policy/gr00t_n15/normalizer.h"
#include "policy/gr00t_n15/rotation.h"

#include <ramet/error.h>

#include <optional>
#include <string>
#include <vector>

namespace ramet {

struct KeySteps {
  std::string key;
  std::optional<RotationFormat> rotation;  // the format that the model sees
  NormalizerMode normalization = NormalizerMode::none;
  bool sin_cos = false;  // [sin(x), cos(x)]; states only
};

struct DataConfig {
  std::string name;  // of the preset, or the file
  std::vector<std::string> video;
  std::vector<KeySteps> state, action;
  std::string language;
  int64_t action_horizon = 16;
};

std::vector<std::string> data_config_presets();
// A preset, or a JSON file.
Result<DataConfig> load_data_config(const std::string& name_or_file);
Result<DataConfig> parse_data_config(const Json& root, std::string name);

}  // namespace ramet
