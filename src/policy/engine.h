// Runs a recipe: observation in, actions out.
#pragma once

#include "base/thread_pool.h"
#include "policy/compiled_programs.h"
#include "policy/recipe.h"
#include "policy/taps.h"

#include <ramet/policy.h>

#include <memory>

namespace ramet {

class PolicyEngine {
 public:
  static Result<std::unique_ptr<PolicyEngine>> open(const std::filesystem::path& directory, PolicyOptions options);
  Result<Actions> act(const Observation& observation, const ActOptions& options);

  const Recipe& recipe() const { return *recipe_; }
  int threads() const { return pool_.threads(); }
  int64_t arena_bytes() const { return arena_bytes_; }

 private:
  PolicyEngine(std::unique_ptr<Recipe> recipe, PolicyOptions options);
  Result<std::vector<float>> noise(const ActOptions& options) const;
  Result<OracleExecutor*> compile(const Layout& layout, const std::vector<std::string>& taps);
  Status run(OracleExecutor& executor, const ModelInputs& inputs, std::span<const float> noise);

  std::unique_ptr<Recipe> recipe_;
  PolicyOptions options_;
  ThreadPool pool_;
  CompiledPrograms programs_;
  int64_t arena_bytes_ = 0;
};

}  // namespace ramet
