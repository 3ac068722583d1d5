// Runs a recipe: observation in, actions out.
#pragma once

#include "policy/compiled_programs.h"
#include "policy/execution.h"
#include "policy/recipe.h"
#include "policy/taps.h"

#include <ramet/policy.h>

#include <memory>

namespace ramet {

class PolicyEngine {
 public:
  static Result<std::unique_ptr<PolicyEngine>> open(const std::filesystem::path& directory, PolicyOptions options);
  Result<Actions> act(const Observation& observation, const ActOptions& options);

  Result<std::vector<StageMs>> replay(const std::string& layout);
  Result<std::vector<ExecutionPlan>> plans();
  const std::vector<StageWork>& stage_work() const { return stage_work_; }  // of the program compiled last
  std::vector<StepMs> step_times() const;                                   // of its last run
  MachinePeak measure_peak() { return execution_->measure_peak(); }
  void settle() { execution_->settle(); }

  const Recipe& recipe() const { return *recipe_; }
  int threads() const { return execution_->threads(); }
  ExecutionFacts facts() const { return execution_->facts(); }
  int64_t arena_bytes() const { return arena_bytes_; }

 private:
  PolicyEngine(std::unique_ptr<Recipe> recipe, PolicyOptions options, std::unique_ptr<Execution> execution);
  Result<std::vector<float>> noise(const ActOptions& options) const;
  Result<int64_t> steps(const ActOptions& options) const;
  Result<Executor*> compile(const ProgramKey& key);
  Status run(Executor& executor, const ModelInputs& inputs, std::span<const float> noise);
  bool sees_the_same(Executor& executor, const ModelInputs& inputs) const;

  // Inputs of a replay.
  struct MadeUp {
    static Result<MadeUp> like(Executor& executor, const std::string& layout);
    std::string layout;
    ModelInputs inputs;
    std::vector<float> noise;
  };

  std::unique_ptr<Recipe> recipe_;
  PolicyOptions options_;
  std::unique_ptr<Execution> execution_;
  CompiledPrograms programs_;
  int64_t arena_bytes_ = 0;
  std::vector<StageWork> stage_work_;
  const Executor* compiled_last_ = nullptr;
  std::optional<MadeUp> made_up_;
};

}  // namespace ramet
