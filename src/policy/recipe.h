// What differs between the versions of a policy, decided once when a directory is opened.
//
// A recipe turns observations into the inputs of a program, records that program, and turns its output into actions.
// Adding a version is adding a recipe and its line in open_recipe.
#pragma once

#include "models/layout.h"
#include "policy/robot/action_decoder.h"
#include "policy/sample_layouts.h"
#include "policy/taps.h"
#include "program/program.h"
#include "tensor/buffer.h"
#include "weights/checkpoint.h"

#include <ramet/policy.h>

#include <memory>

namespace ramet {

struct ModelInputs {
  Buffer pixels;                   // what enters the tower
  std::vector<int64_t> input_ids;  // [tokens]
  Buffer state;                    // [history, max_state_dim], normalised
  Layout layout;
};

class Recipe {
 public:
  virtual ~Recipe() = default;

  virtual std::string_view version() const = 0;  // "GR00T N1.7"
  virtual const std::string& embodiment() const = 0;
  virtual EmbodimentInfo describe_robot() const = 0;
  virtual int64_t default_steps() const = 0;
  virtual Shape noise_shape() const = 0;  // [action_horizon, action_dim]
  virtual int64_t horizon() const = 0;    // rows of a decoded action

  virtual Result<ModelInputs> preprocess(const Observation& observation) const = 0;
  virtual void tap_inputs(const ModelInputs& inputs, TapList& taps) const = 0;  // pre.*
  virtual std::vector<NamedLayout> sample_layouts() const = 0;
  virtual Program record(const Layout& layout, int64_t steps) const = 0;
  virtual Result<std::vector<Action>> decode(ConstView chunk, const Observation& observation) const = 0;

  virtual const Checkpoint& checkpoint() const = 0;
};

// `path`: a checkpoint directory, or a .safetensors file beside its config.
Result<std::unique_ptr<Recipe>> open_recipe(const std::filesystem::path& path, const PolicyOptions& options);

// The directory itself, or the one that holds the file.
std::filesystem::path checkpoint_directory(const std::filesystem::path& path);

}  // namespace ramet
