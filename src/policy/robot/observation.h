// One observation of a robot, as `predict` reads it from a file.
//
//   {"embodiment_tag": "libero_sim",                optional
//    "data_config": "fourier_gr1_arms_only",        optional, N1.5 only
//    "video": {CAMERA: ["t0.png", "t1.png"]},       oldest first; one frame needs no list
//    "state": {KEY: [[0.1, 0.2]]},                  [history][dims]; one time step needs no outer list
//    "language": "put the bowl on the plate"}       or {LANGUAGE KEY: text}
//
// Paths are relative to the file. Keys may carry the prefixes `video.` and `state.`, and may then also stand at the top
// level, as may `annotation.` keys. `timestamps` is allowed and not used. Errors: not_found, invalid_file,
// invalid_value, with file and key. Source: spec cli, section 3.
#pragma once

#include "policy/robot/modality.h"
#include "policy/robot/raw_state.h"

#include <ramet/types.h>

#include <filesystem>
#include <string>

namespace ramet {

inline constexpr size_t kMaxInstructionBytes = 64 << 10;

Result<ObservationFiles> load_observation(const std::filesystem::path& path);
// `directory` is what the paths of frames are relative to.
Result<ObservationFiles> parse_observation(const Json& root, const std::filesystem::path& directory);

// Are the cameras, the number of frames and the language keys those of the robot? States: StateProcessor::check.
// Errors, all naming what the robot needs: not_found, surplus, shape_mismatch.
Status check(const Observation& observation, const ModalityConfig& modality);

// The instruction under the first language key of the robot. Errors: as check; invalid_value over
// kMaxInstructionBytes.
Result<std::string> instruction(const Observation& observation, const Modality& language);

}  // namespace ramet
