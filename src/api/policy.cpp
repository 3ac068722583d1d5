#include <ramet/policy.h>

#include "api/guard.h"
#include "policy/engine.h"

namespace ramet {

struct Policy::Impl {
  std::unique_ptr<PolicyEngine> engine;
};

Policy::Policy(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Policy::Policy(Policy&&) noexcept = default;
Policy& Policy::operator=(Policy&&) noexcept = default;
Policy::~Policy() = default;

Result<Policy> Policy::open(const std::filesystem::path& directory, PolicyOptions options) {
  return guarded([&]() -> Result<Policy> {
    RAMET_TRY(std::unique_ptr<PolicyEngine> engine, PolicyEngine::open(directory, std::move(options)));
    return Policy(std::make_unique<Impl>(Impl{std::move(engine)}));
  });
}

Result<Actions> Policy::act(const Observation& observation, const ActOptions& options) {
  return guarded([&] { return impl_->engine->act(observation, options); });
}

const std::string& Policy::embodiment() const { return impl_->engine->recipe().embodiment(); }
int Policy::threads() const { return facts().threads; }
ExecutionFacts Policy::facts() const { return impl_->engine->facts(); }
int64_t Policy::arena_bytes() const { return impl_->engine->arena_bytes(); }

}  // namespace ramet
