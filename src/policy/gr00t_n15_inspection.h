// What `inspect` tells of a GR00T N1.5 directory.
#pragma once

#include "policy/gr00t_n15/robot.h"
#include "weights/checkpoint.h"

#include <ramet/inspect.h>

namespace ramet {

EmbodimentInfo describe_embodiment(const N15Robot& robot);

// Fills in what it can; the first thing that would keep a policy from opening is the error.
Status inspect_gr00t_n15(const std::filesystem::path& directory, const Checkpoint& checkpoint, Inspection& inspection);

}  // namespace ramet
