#include <ramet/policy.h>

#include "api/guard.h"
#include "policy/engine.h"

namespace ramet {

struct Policy::Impl {
  std::unique_ptr<PolicyEngine> engine;
  EmbodimentInfo robot;
  std::string version;
};

Policy::Policy(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Policy::Policy(Policy&&) noexcept = default;
Policy& Policy::operator=(Policy&&) noexcept = default;
Policy::~Policy() = default;

Result<Policy> Policy::open(const std::filesystem::path& directory, PolicyOptions options) {
  return guarded([&]() -> Result<Policy> {
    RAMET_TRY(std::unique_ptr<PolicyEngine> engine, PolicyEngine::open(directory, std::move(options)));
    EmbodimentInfo robot = engine->recipe().describe_robot();
    std::string version(engine->recipe().version());
    return Policy(std::make_unique<Impl>(Impl{std::move(engine), std::move(robot), std::move(version)}));
  });
}

Result<Actions> Policy::act(const Observation& observation, const ActOptions& options) {
  return guarded([&] { return impl_->engine->act(observation, options); });
}

Result<std::vector<StageMs>> Policy::replay(const std::string& layout) {
  return guarded([&] { return impl_->engine->replay(layout); });
}

std::vector<std::pair<std::string, std::string>> Policy::sample_layouts() const {
  std::vector<std::pair<std::string, std::string>> layouts;
  for (const NamedLayout& sample : impl_->engine->recipe().sample_layouts())
    layouts.emplace_back(sample.name, sample.meaning);
  return layouts;
}

Result<std::vector<ExecutionPlan>> Policy::plans() {
  return guarded([&] { return impl_->engine->plans(); });
}

std::vector<StageWork> Policy::stage_work() const { return impl_->engine->stage_work(); }
std::vector<StepMs> Policy::step_times() const { return impl_->engine->step_times(); }
MachinePeak Policy::measure_peak() { return impl_->engine->measure_peak(); }
void Policy::settle() { impl_->engine->settle(); }
const std::string& Policy::version() const { return impl_->version; }
const EmbodimentInfo& Policy::robot() const { return impl_->robot; }
const std::string& Policy::embodiment() const { return impl_->engine->recipe().embodiment(); }
std::vector<int64_t> Policy::noise_shape() const {
  const Shape shape = impl_->engine->recipe().noise_shape();
  return {shape.dims().begin(), shape.dims().end()};
}
int Policy::threads() const { return facts().threads; }
ExecutionFacts Policy::facts() const { return impl_->engine->facts(); }
int64_t Policy::arena_bytes() const { return impl_->engine->arena_bytes(); }

}  // namespace ramet
