// Sizes of GR00T N1.7's parts from the checkpoint's config and the backbone's, and whether all of them agree.
#pragma once

#include "models/gr00t_n17.h"
#include "policy/backbone_config.h"
#include "policy/robot/gr00t_n17_config.h"

#include <ramet/error.h>

#include <string>

namespace ramet {

Gr00tN17Sizes gr00t_n17_sizes(const Gr00tN17Config& config, const QwenVisionConfig& vision,
                              const Qwen3TextConfig& text);

// Counts and widths that two places state must agree before anything is built from them; `config_file` stands for the
// checkpoint's config in errors. Errors: unsupported (a backbone without a Qwen3 text stack), invalid_value.
Result<Gr00tN17Sizes> checked_gr00t_n17_sizes(const Gr00tN17Config& config, const std::string& config_file,
                                              const BackboneConfig& backbone, const Checkpoint& checkpoint);

}  // namespace ramet
