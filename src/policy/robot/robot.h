// One robot of a checkpoint: everything between its raw observation and actions and the tensors of the model, but
// pictures and text.
#pragma once

#include "policy/robot/action_decoder.h"
#include "policy/robot/observation.h"
#include "policy/robot/robot_files.h"
#include "policy/robot/state_processor.h"

#include <ramet/error.h>

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

// `name` as in resolve_tag. Errors: those of the parts; shape_mismatch when the robot does not fit the model's horizon,
// state history or widths.
Result<Robot> make_robot(const RobotFiles& files, std::string_view name);

}  // namespace ramet
