// The files of a GR00T N1.7 checkpoint that describe model and robots: everything but weights and tokenizer.
//
//   NVIDIA    config.json, processor_config.json, statistics.json, embodiment_id.json (optional); the last three in the
//             root or in processor/
//   LeRobot   config.json ("type": "groot"), policy_preprocessor.json, policy_postprocessor.json
//
// Source: spec gr00t-n1.7, sections 1.1 and 1.8.
#pragma once

#include "policy/robot/embodiment.h"
#include "policy/robot/gr00t_n17_config.h"
#include "policy/robot/processor_config.h"
#include "policy/robot/statistics.h"

#include <ramet/error.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ramet {

enum class CheckpointLayout { nvidia, lerobot };

struct RobotFiles {
  CheckpointLayout layout = CheckpointLayout::nvidia;
  Gr00tN17Config model;
  std::optional<ProcessorConfig> processor;
  std::optional<Statistics> statistics;
  EmbodimentIds embodiments;
  std::vector<std::filesystem::path> sources;  // files that were read
  std::vector<std::filesystem::path> missing;  // files that the layout asks for and that are not there
};

// What is there is checked; what is missing is listed. Errors: those of the files; config.json itself must exist.
Result<RobotFiles> load_robot_files(const std::filesystem::path& directory);

// Errors: not_found, naming the missing files.
Status require_complete(const RobotFiles& files);
Status require_complete(const std::vector<std::filesystem::path>& missing);

}  // namespace ramet
