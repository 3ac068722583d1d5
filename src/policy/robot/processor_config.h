// processor_config.json: how observations become model inputs and model outputs become actions.
//
//   {"processor_class": "Gr00tN1d7Processor", "processor_kwargs": {"modality_configs": {TAG: ...}, ...}}
//
// A field that N1.7's file lacks has the default of the original code, not the released value. In N1.6 the defaults fit
// no model: its file must hold every field but letter_box_transform. Fields of training are ignored.
// Errors: not_found, invalid_value, invalid_file, with file and key.
// Source: spec gr00t-n1.7, section 1.3; spec gr00t-n1.6, section 2.3.
#pragma once

#include "policy/image/eval_transform.h"
#include "policy/robot/modality.h"

#include <map>
#include <optional>

namespace ramet {

// LeRobot's post-processing after decoding: libero turns the gripper g of [0, 1] into -sign(2g - 1).
enum class ActionTransform { none, libero };

struct ProcessorConfig {
  std::string where;                                       // of these values, for errors
  std::map<std::string, ModalityConfig> modality_configs;  // by embodiment tag
  EvalTransformOptions image;                              // checked by EvalTransform::make
  bool formalize_language = true;
  bool clip_outliers = true;
  int64_t max_state_dim = 29;
  int64_t max_action_dim = 29;
  int64_t max_action_horizon = 50;
  bool use_percentiles = false;
  bool use_relative_action = false;
  bool apply_sincos_state_encoding = false;
  bool exclude_state = false;
  std::string model_name = "nvidia/Cosmos-Reason2-2B";  // the backbone, whose tokenizer and sizes are needed
  std::string default_instruction;                      // stands in for an empty one; LeRobot only
  bool keep_delta_actions = false;     // rep DELTA is unnormalised and handed out as a difference: N1.6
  bool clip_normalized_action = true;  // before decoding; false in old LeRobot pipelines only
  ActionTransform action_transform = ActionTransform::none;

  std::vector<std::string> tags() const;
};

// Also called by the LeRobot reader, whose image step has the same keys.
Result<EvalTransformOptions> parse_image_options(const Json& kwargs, const EvalTransformOptions& defaults);
Result<ProcessorConfig> parse_processor_config(const Json& root);
Result<ProcessorConfig> parse_n16_processor_config(const Json& root);

}  // namespace ramet
