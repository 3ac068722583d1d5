// A directory of GR00T N1.5 in LeRobot's format: one robot with one state key `state` and one action key `action`.
//
//   policy_preprocessor.json   groot_pack_inputs_v3: tag, slots, whether states are normalised, formalize_language
//                              groot_eagle_encode_v3
//   policy_postprocessor.json  groot_action_unpack_unnormalize_v1: env_action_dim, whether actions are normalised
//   config.json                cameras, sorted by name, and widths of state and action
//
// Normalisation is min_max over all columns, whose bounds are tensors beside each of the two steps. A tag without a
// slot has slot 0. Where the original would pad or cut a vector whose width differs from its bounds, this is an error,
// as are missing bounds. Observations have the names of input_features; a rename_map is the client's affair.
// Errors: those of N15Files.
// Source: spec gr00t-n1.5, section 2.4.
#pragma once

#include "policy/gr00t_n15/files.h"

namespace ramet {

// `config` is the config.json of the directory.
Result<N15Files> load_n15_lerobot(const std::filesystem::path& directory, const Json& config);

}  // namespace ramet
