// Sizes of GR00T N1.6's parts from the checkpoint's config and tensors, and whether the two agree.
#pragma once

#include "models/gr00t_n16.h"
#include "policy/robot/gr00t_n16_config.h"

#include <ramet/error.h>

#include <string>

namespace ramet {

Gr00tN16Sizes gr00t_n16_sizes(const Gr00tN16Config& config, const EagleBackboneSizes& backbone);

// `config_file` stands for the config in errors.
// Errors: those of stored_eagle_sizes; invalid_value (a count or width that tensors and config state differently).
Result<Gr00tN16Sizes> checked_gr00t_n16_sizes(const Gr00tN16Config& config, const std::string& config_file,
                                              const Checkpoint& checkpoint);

}  // namespace ramet
