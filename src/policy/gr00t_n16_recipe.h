// GR00T N1.6 as a recipe: its files, its processors, its model.  Source: spec gr00t-n1.6.
#pragma once

#include "models/gr00t_n16.h"
#include "policy/image/eval_transform.h"
#include "policy/recipe.h"
#include "policy/robot/gr00t_n16_files.h"
#include "policy/text/tokenizer.h"
#include "weights/checkpoint.h"

namespace ramet {

class Gr00tN16Recipe : public Recipe {
 public:
  static Result<std::unique_ptr<Recipe>> open(const std::filesystem::path& path, const PolicyOptions& options);

  std::string_view version() const override { return "GR00T N1.6"; }
  const std::string& embodiment() const override { return parts_.robot.tag; }
  EmbodimentInfo describe_robot() const override;
  int64_t default_steps() const override { return parts_.config.num_inference_timesteps; }
  Shape noise_shape() const override { return {parts_.config.action_horizon, parts_.config.max_action_dim}; }
  int64_t horizon() const override { return parts_.robot.actions.horizon(); }

  Result<ModelInputs> preprocess(const Observation& observation) const override;
  void tap_inputs(const ModelInputs& inputs, TapList& taps) const override;
  std::vector<NamedLayout> sample_layouts() const override;
  Program record(const Layout& layout, int64_t steps) const override;
  Result<std::vector<Action>> decode(ConstView chunk, const Observation& observation) const override;
  const Checkpoint& checkpoint() const override { return parts_.checkpoint; }

 private:
  struct Parts {
    Gr00tN16Config config;
    ProcessorConfig processor;
    Robot robot;
    EvalTransform eval_transform;
    Tokenizer tokenizer;
    int64_t image_context;  // the token that pictures replace
    Checkpoint checkpoint;
    Gr00tN16Model model;
  };
  explicit Gr00tN16Recipe(Parts parts) : parts_(std::move(parts)) {}

  Parts parts_;
};

}  // namespace ramet
