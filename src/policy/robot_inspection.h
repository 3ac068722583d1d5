// What `inspect` tells of one robot of a GR00T directory.
#pragma once

#include "policy/robot/robot.h"

#include <ramet/inspect.h>

namespace ramet {

EmbodimentInfo describe_embodiment(const Robot& robot, const ProcessorConfig& processor);
// `robot` may be the error that keeps it from being used.
EmbodimentInfo describe_embodiment(const std::string& tag, const ModalityConfig& modality, const Result<Robot>& robot,
                                   const ProcessorConfig& processor);

}  // namespace ramet
