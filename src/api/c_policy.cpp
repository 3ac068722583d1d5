#include "api/c_observation.h"

#include <ramet/policy.h>

#include <optional>

using namespace ramet;

struct ramet_policy {
  std::optional<Policy> policy;
  Actions actions;
  ErrorSlot error;
};

namespace {

Result<PolicyOptions> policy_options(const ramet_policy_options* given) {
  RAMET_TRY(const ramet_policy_options c, read_options(given, "ramet_policy_options"));
  PolicyOptions options{.embodiment = text_or_empty(c.embodiment),
                        .data_config = text_or_empty(c.data_config),
                        .steps = c.steps,
                        .reuse_backbone = c.reuse_backbone != 0,
                        .engine = {}};
  RAMET_TRY(options.engine, engine_options(c));
  options.engine.tokenizer = text_or_empty(c.tokenizer);
  if (c.data_dir != nullptr) options.engine.data_dirs = {c.data_dir};
  return options;
}

// The noise is read only when its shape is the model's.
Result<ActOptions> act_options(const ramet_act_options* given, const std::vector<int64_t>& noise_shape) {
  RAMET_TRY(const ramet_act_options c, read_options(given, "ramet_act_options"));
  ActOptions options{.seed = c.seed, .steps = c.steps};
  if (c.noise == nullptr) return options;
  if (c.horizon != noise_shape[0] || c.action_dim != noise_shape[1])
    return fail(Code::shape_mismatch, "noise", std::to_string(noise_shape[0]) + " x " + std::to_string(noise_shape[1]),
                std::to_string(c.horizon) + " x " + std::to_string(c.action_dim));
  options.noise = FloatArray{.shape = noise_shape, .values = {c.noise, c.noise + c.horizon * c.action_dim}};
  return options;
}

Status check_open(const ramet_policy& handle) {
  if (handle.policy) return {};
  return fail(Code::usage, "policy", "a policy that ramet_policy_open has opened", "one that it has not");
}

}  // namespace

ramet_code ramet_policy_open(const char* directory, const ramet_policy_options* options, ramet_policy** policy) {
  if (policy == nullptr) return RAMET_USAGE;
  *policy = new (std::nothrow) ramet_policy;
  if (*policy == nullptr) return RAMET_NO_MEMORY;
  return run((*policy)->error, [&]() -> Status {
    RAMET_TRY(const std::string path, required_text(directory, "directory"));
    RAMET_TRY(PolicyOptions checked, policy_options(options));
    RAMET_TRY((*policy)->policy, Policy::open(path, std::move(checked)));
    return {};
  });
}

void ramet_policy_close(ramet_policy* policy) { delete policy; }

const ramet_error* ramet_policy_error(const ramet_policy* policy) {
  return policy == nullptr ? error_of_null() : policy->error.get();
}

const char* ramet_policy_embodiment(const ramet_policy* policy) {
  return policy != nullptr && policy->policy ? policy->policy->embodiment().c_str() : "";
}

const char* ramet_policy_model(const ramet_policy* policy) {
  return policy != nullptr && policy->policy ? policy->policy->version().c_str() : "";
}

ramet_code ramet_policy_noise_shape(ramet_policy* policy, int64_t* horizon, int64_t* action_dim) {
  if (policy == nullptr) return RAMET_USAGE;
  return run(policy->error, [&]() -> Status {
    RAMET_TRY_STATUS(check_open(*policy));
    RAMET_TRY_STATUS(check_pointer(horizon, "horizon"));
    RAMET_TRY_STATUS(check_pointer(action_dim, "action_dim"));
    const std::vector<int64_t> shape = policy->policy->noise_shape();
    *horizon = shape[0];
    *action_dim = shape[1];
    return {};
  });
}

ramet_code ramet_policy_act(ramet_policy* policy, const ramet_observation* observation,
                            const ramet_act_options* options) {
  if (policy == nullptr) return RAMET_USAGE;
  policy->actions = {};
  return run(policy->error, [&]() -> Status {
    RAMET_TRY_STATUS(check_open(*policy));
    RAMET_TRY_STATUS(check_pointer(observation, "observation"));
    RAMET_TRY(const ActOptions checked, act_options(options, policy->policy->noise_shape()));
    RAMET_TRY(policy->actions, policy->policy->act(observation->observation, checked));
    return {};
  });
}

size_t ramet_policy_num_actions(const ramet_policy* policy) {
  return policy == nullptr ? 0 : policy->actions.keys.size();
}

const char* ramet_policy_action_key(const ramet_policy* policy, size_t index) {
  return index < ramet_policy_num_actions(policy) ? policy->actions.keys[index].c_str() : nullptr;
}

ramet_code ramet_policy_action(ramet_policy* policy, const char* key, ramet_array* action) {
  if (policy == nullptr) return RAMET_USAGE;
  return run(policy->error, [&]() -> Status {
    RAMET_TRY_STATUS(check_pointer(action, "action"));
    RAMET_TRY(const std::string name, required_text(key, "key"));
    const auto found = policy->actions.actions.find(name);
    if (found == policy->actions.actions.end())
      return fail(Code::not_found, "action " + name, "a key of the last ramet_policy_act", "none",
                  "ramet_policy_action_key lists them");
    *action = view(found->second);
    return {};
  });
}
