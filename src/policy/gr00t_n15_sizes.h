// Sizes of GR00T N1.5's parts from config.json and the tensors, and whether all of them agree.
#pragma once

#include "models/gr00t_n15.h"
#include "policy/gr00t_n15/config.h"

#include <ramet/error.h>

#include <filesystem>
#include <string>

namespace ramet {

// `horizon`: rows of a chunk, as the data configuration says.
Gr00tN15Sizes gr00t_n15_sizes(const Gr00tN15Config& config, const Gr00tN15Backbone& backbone,
                              const Gr00tN15Stored& stored, int64_t horizon);

// config.json, or where that states no sizes: counts and widths from the tensors, all else as released.
// Errors: those of load_n15_config; not_found (a tensor that tells a size), shape_mismatch.
Result<Gr00tN15Config> load_gr00t_n15_config(const std::filesystem::path& directory, const Checkpoint& checkpoint);

// `config_file` stands for config.json in errors. Errors: those of stored_n15_backbone; invalid_value, unsupported.
Result<Gr00tN15Sizes> checked_gr00t_n15_sizes(const Gr00tN15Config& config, const std::string& config_file,
                                              const Checkpoint& checkpoint, int64_t horizon);

}  // namespace ramet
