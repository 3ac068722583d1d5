// What a LeRobot pipeline file holds: steps with their settings, and tensors that a step stores beside it.
//
//   {"steps": [{"registry_name": ..., "config": {...}, "state_file": "NAME.safetensors" or absent}]}
//
// Source: spec gr00t-n1.7, section 1.8; spec gr00t-n1.5, section 2.4.
#pragma once

#include "base/json.h"
#include "policy/robot/statistics.h"

#include <ramet/error.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ramet {

struct LerobotStep {
  std::string where, name;
  Json config;             // lives as long as the file
  std::string state_file;  // empty when the step has no tensors
};

// Whether config.json is one of LeRobot's, which alone has a "type". Errors: unsupported (a type other than groot).
Result<bool> is_lerobot(const Json& config);

Result<std::vector<LerobotStep>> read_steps(const Json& pipeline);
const LerobotStep* find_step(const std::vector<LerobotStep>& steps, std::string_view name);  // nullptr: none
Result<const LerobotStep*> require_step(const std::vector<LerobotStep>& steps, std::string_view name,
                                        const std::string& file);

// Errors: unsupported where relative_actions_processor is on: it changes what an action means.
Status refuse_relative_actions(const std::vector<LerobotStep>& steps);

// The cameras of config.json's input_features, sorted by name: those that begin with `prefix`. Errors: invalid_file.
Result<std::vector<std::string>> camera_features(const Json& config, std::string_view prefix);

// The tensors FEATURE.min and FEATURE.max [D] of a step, D > 0. Errors: not_found, invalid_file, not_finite.
Result<KeyStatistics> read_flat_statistics(const std::filesystem::path& directory, const LerobotStep& step,
                                           const std::string& feature);

}  // namespace ramet
