// GR00T N1.5 as a recipe: its files, its processors, its model.  Source: spec gr00t-n1.5.
#pragma once

#include "models/gr00t_n15.h"
#include "policy/gr00t_n15/files.h"
#include "policy/recipe.h"
#include "policy/text/tokenizer.h"
#include "weights/checkpoint.h"

namespace ramet {

class Gr00tN15Recipe : public Recipe {
 public:
  static Result<std::unique_ptr<Recipe>> open(const std::filesystem::path& path, const PolicyOptions& options);

  std::string_view version() const override { return "GR00T N1.5"; }
  const std::string& embodiment() const override { return robot_.tag(); }
  EmbodimentInfo describe_robot() const override;
  int64_t default_steps() const override { return config_.num_inference_timesteps; }
  Shape noise_shape() const override { return {robot_.horizon(), config_.max_action_dim}; }
  int64_t horizon() const override { return robot_.horizon(); }

  Result<ModelInputs> preprocess(const Observation& observation) const override;
  void tap_inputs(const ModelInputs& inputs, TapList& taps) const override;
  std::vector<NamedLayout> sample_layouts() const override;
  Program record(const Layout& layout, int64_t steps) const override;
  Result<std::vector<Action>> decode(ConstView chunk, const Observation& observation) const override;
  const Checkpoint& checkpoint() const override { return checkpoint_; }

 private:
  struct Parts {
    Gr00tN15Config config;
    N15Preprocessing preprocessing;
    N15Robot robot;
    InstructionForm instruction_form;
    Tokenizer tokenizer;
    Checkpoint checkpoint;
    Gr00tN15Sizes sizes;
    Gr00tN15Model model;
  };
  explicit Gr00tN15Recipe(Parts parts);
  // Of an observation that has passed the robot's check.
  size_t frames_per_view(const Observation& observation) const;
  int64_t count_pictures(const Observation& observation) const;
  Result<Buffer> pixels(const Observation& observation) const;            // time by time, then view by view
  Result<std::string> instruction(const Observation& observation) const;  // of one that has one
  Result<std::vector<int64_t>> token_ids(const Observation& observation) const;

  Gr00tN15Config config_;
  N15Preprocessing preprocessing_;
  N15Robot robot_;
  InstructionForm instruction_form_;
  Tokenizer tokenizer_;
  Checkpoint checkpoint_;
  Gr00tN15Sizes sizes_;
  Gr00tN15Model model_;
};

}  // namespace ramet
