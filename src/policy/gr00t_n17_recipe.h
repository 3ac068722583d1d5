// GR00T N1.7 as a recipe: its files, its processors, its model.  Source: spec gr00t-n1.7.
#pragma once

#include "models/gr00t_n17.h"
#include "policy/backbone_config.h"
#include "policy/image/eval_transform.h"
#include "policy/image/qwen_config.h"
#include "policy/recipe.h"
#include "policy/robot/robot.h"
#include "policy/text/prompt.h"
#include "policy/text/tokenizer.h"
#include "weights/checkpoint.h"

namespace ramet {

class Gr00tN17Recipe : public Recipe {
 public:
  static Result<std::unique_ptr<Recipe>> open(const std::filesystem::path& path, const PolicyOptions& options);

  std::string_view version() const override { return "GR00T N1.7"; }
  const std::string& embodiment() const override { return robot_.tag; }
  EmbodimentInfo describe_robot() const override;
  int64_t default_steps() const override { return config_.num_inference_timesteps; }
  Shape noise_shape() const override { return {config_.action_horizon, config_.max_action_dim}; }
  int64_t horizon() const override { return robot_.actions.horizon(); }

  Result<ModelInputs> preprocess(const Observation& observation) const override;
  void tap_inputs(const ModelInputs& inputs, TapList& taps) const override;
  std::vector<NamedLayout> sample_layouts() const override;
  Program record(const Layout& layout, int64_t steps) const override;
  Result<std::vector<Action>> decode(ConstView chunk, const Observation& observation) const override;
  const Checkpoint& checkpoint() const override { return checkpoint_; }

 private:
  struct Parts;
  explicit Gr00tN17Recipe(Parts parts);

  Gr00tN17Config config_;
  ProcessorConfig processor_;
  Robot robot_;
  EvalTransform eval_transform_;
  QwenImageProcessorConfig image_processor_;
  Tokenizer tokenizer_;
  SpecialTokens special_tokens_;
  Checkpoint checkpoint_;
  Gr00tN17Model model_;
};

}  // namespace ramet
