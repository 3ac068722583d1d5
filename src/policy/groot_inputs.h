// Steps from an observation to model inputs that the versions of GR00T share.
#pragma once

#include "policy/image/eval_transform.h"
#include "policy/recipe.h"
#include "policy/robot/observation.h"
#include "policy/robot/processor_config.h"

#include <span>
#include <string>
#include <vector>

namespace ramet {

// Time-major: all cameras of the oldest time first, in the order of the robot's camera keys.
// Errors: those of EvalTransform::apply; shape_mismatch when the results differ in size.
Result<std::vector<Image>> camera_images(const Observation& observation, const Modality& video,
                                         const EvalTransform& transform);

// The instruction as it enters the prompt. Errors: those of `instruction` and formalize_language.
Result<std::string> instruction_text(const Observation& observation, const Modality& language,
                                     const ProcessorConfig& processor);

// `positions` [3, tokens]; the tokens `image_token` are where the pictures stand.
TextLayout text_layout(std::span<const int64_t> ids, std::span<const int64_t> positions, int64_t image_token);

// pre.input_ids, pre.attention_mask, pre.positions
void tap_prompt(TapList& taps, const ModelInputs& inputs);

}  // namespace ramet
