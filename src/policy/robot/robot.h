// One robot of a checkpoint: everything between its raw observation and actions and the tensors of the model, but
// pictures and text.
#pragma once

#include "policy/robot/action_decoder.h"
#include "policy/robot/observation.h"
#include "policy/robot/robot_files.h"
#include "policy/robot/state_processor.h"

#include <ramet/error.h>

#include <optional>
#include <string>
#include <string_view>

namespace ramet {

struct Robot {
  std::string tag;
  int64_t slot = 0;  // of the encoders and decoders
  ModalityConfig modality;
  StateProcessor state;
  ActionDecoder actions;

  // Everything the robot needs, in one pass over the observation. Errors: as check and StateProcessor::check.
  Status check(const Observation& observation) const;
};

// What the model's config.json says of the robots it can serve.
struct ModelLimits {
  int64_t max_num_embodiments = 0;
  int64_t action_horizon = 0;
  int64_t max_state_dim = 0;
  int64_t max_action_dim = 0;
  std::optional<int64_t> state_history_length;  // absent: any number of time steps, a token each
};

struct RobotParts {
  const ProcessorConfig& processor;
  const Statistics& statistics;
  const EmbodimentIds& embodiments;
  ModelLimits limits;
};

// `name` as in resolve_tag. Errors: those of the parts; shape_mismatch when the robot does not fit the model's horizon,
// state history or widths.
Result<Robot> make_robot(const RobotParts& parts, std::string_view name);
// Errors: also not_found, for an incomplete directory.
Result<Robot> make_robot(const RobotFiles& files, std::string_view name);

}  // namespace ramet
