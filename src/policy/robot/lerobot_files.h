// The processors of a checkpoint in LeRobot's format, where two files describe pipelines of steps.
//
//   policy_preprocessor.json   groot_n1_7_pack_inputs_v1: tag, slots, modality_config, raw_stats (of this one robot),
//   flags
//                              groot_n1_7_vlm_encode_v1: geometry of pictures
//   policy_postprocessor.json  groot_n1_7_action_decode_v1: percentiles or not, relative or not; or the older
//                              groot_action_unpack_unnormalize_v2: plain min and max
//
// With the older step, and wherever raw_stats is null, min and max of all state and all action columns stand in the
// safetensors file that the packing step names; without a modality_config the robot then has one state key `state` and
// one action key `action`. LeRobot knows neither mean/std nor sin/cos keys, puts "Perform the task." for an empty
// instruction, and slot 0 for an unknown tag. Errors: not_found, invalid_file, invalid_value, unsupported.
// Source: spec gr00t-n1.7, section 1.8.
#pragma once

#include "policy/robot/embodiment.h"
#include "policy/robot/processor_config.h"
#include "policy/robot/statistics.h"

#include <ramet/error.h>

#include <filesystem>

namespace ramet {

struct LerobotProcessors {
  ProcessorConfig processor;  // with the one robot of the checkpoint
  Statistics statistics;
  EmbodimentIds embodiments;
};

// `config` is the config.json of the directory.
Result<LerobotProcessors> load_lerobot_processors(const std::filesystem::path& directory, const Json& config);

}  // namespace ramet
