// A robot policy: GR00T opened from its published checkpoint directory.
//
//   Result<Policy> policy = Policy::open("DIR", {.embodiment = "libero_sim"});
//   Result<Actions> actions = policy->act(observation, {.seed = 1});
//
// open() reads, checks and claims every file and tensor of the directory; act() turns one observation into decoded
// actions. The first act() with a new layout (sizes of the images, number of tokens) compiles a program for it, later
// ones replay it. A Policy is used by one thread at a time; it may be moved.
#pragma once

#include <ramet/types.h>

#include <memory>

namespace ramet {

struct PolicyOptions {
  std::string embodiment;  // tag; empty: the only one, else an error that lists them
  // N1.5: name of a preset or a JSON file; empty: what the directory says, or the only preset that fits the robot
  std::string data_config;
  int steps = 0;  // denoising steps; 0: from the checkpoint
  // Skip everything before the denoiser when pictures and text are those of the last call: only the state has changed.
  bool reuse_backbone = false;
  EngineOptions engine;
};

struct ActOptions {
  uint64_t seed = 0;                // of the initial noise (see noise.h in src/policy for the generator)
  std::optional<FloatArray> noise;  // of noise_shape(); replaces the seed
  int steps = 0;                    // denoising steps of this call; 0: as the policy was opened
  std::vector<std::string> taps;    // globs of the intermediate results to keep
};

struct Actions {
  std::string embodiment;
  int64_t horizon = 0;
  std::vector<std::string> keys;              // in the order of the checkpoint
  std::map<std::string, FloatArray> actions;  // key -> [horizon, dims], in the robot's units
  std::vector<StageMs> timing;                // in order; "total" last
  std::vector<Tap> taps;                      // in the order in which they are computed
};

class Policy {
 public:
  static Result<Policy> open(const std::filesystem::path& directory, PolicyOptions options = {});
  Policy(Policy&&) noexcept;
  Policy& operator=(Policy&&) noexcept;
  ~Policy();

  Result<Actions> act(const Observation& observation, const ActOptions& options = {});

  // For benchmarks: runs the program of a layout of this name with made-up inputs, without processors and decoding, and
  // gives the time of each stage. usage: lists the names.
  Result<std::vector<StageMs>> replay(const std::string& layout);
  std::vector<std::pair<std::string, std::string>> sample_layouts() const;  // name, meaning
  Result<std::vector<ExecutionPlan>> plans();                               // of these layouts
  std::vector<StageWork> stage_work() const;                                // of the program compiled last
  std::vector<StepMs> step_times() const;                                   // of its last run
  MachinePeak measure_peak();                                               // of the moment
  void settle();  // waits until what a first run starts in the background is done

  const std::string& version() const;   // "GR00T N1.7"
  const EmbodimentInfo& robot() const;  // the robot it was opened for
  const std::string& embodiment() const;
  std::vector<int64_t> noise_shape() const;  // [horizon, action_dim] of the model
  int threads() const;
  ExecutionFacts facts() const;
  int64_t arena_bytes() const;  // of the program compiled last

 private:
  struct Impl;
  explicit Policy(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ramet
