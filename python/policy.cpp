#include "bindings.h"
#include "given_settings.h"

#include "policy/noise.h"

#include <ramet/policy.h>

#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <mutex>

namespace ramet::python {
namespace {

using Video = std::map<std::string, std::vector<Picture>>;
using StateArray = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using NoiseArray = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// A policy that threads take turns with.
class SharedPolicy {
 public:
  SharedPolicy(Policy policy, uint64_t seed) : policy_(std::move(policy)), facts_(policy_.facts()), seed_(seed) {}

  Result<Actions> act(const Observation& observation, const ActOptions& options) {
    const nb::gil_scoped_release release;  // before the lock: its holder never waits for the GIL
    const std::lock_guard lock(mutex_);
    return policy_.act(observation, options);
  }

  const Policy& policy() const { return policy_; }  // for what does not change
  const ExecutionFacts& facts() const { return facts_; }
  uint64_t seed() const { return seed_; }

 private:
  std::mutex mutex_;
  Policy policy_;
  ExecutionFacts facts_;  // as opened
  uint64_t seed_;
};

Result<Policy> open_released(const std::string& directory, PolicyOptions options) {
  const nb::gil_scoped_release release;
  return Policy::open(directory, std::move(options));
}

std::unique_ptr<SharedPolicy> open(const std::string& directory, const GivenSettings& given,
                                   const std::string& data_dir) {
  const cli::Settings settings =
      resolve({"embodiment", "data-config", "executor", "precision", "isa", "threads", "backbone", "tokenizer", "cache",
               "steps", "reuse-backbone", "seed", "quirks"},
              directory, given);
  PolicyOptions options{.embodiment = settings.values().embodiment,
                        .data_config = settings.values().data_config,
                        .steps = settings.values().steps,
                        .reuse_backbone = settings.values().reuse_backbone,
                        .engine = engine_options(settings, data_dir)};
  return std::make_unique<SharedPolicy>(value_of(open_released(directory, std::move(options))), settings.values().seed);
}

std::vector<std::vector<float>> rows(const StateArray& state) {
  std::vector<std::vector<float>> rows;
  for (size_t row = 0; row < state.shape(0); ++row) {
    const float* first = state.data() + row * state.shape(1);
    rows.emplace_back(first, first + state.shape(1));
  }
  return rows;
}

Observation make_observation(const Video& video, const std::map<std::string, StateArray>& state,
                             const std::map<std::string, std::string>& language) {
  Observation observation{.language = language};
  for (const auto& [camera, pictures] : video)
    for (const Picture& picture : pictures) observation.video[camera].push_back(view(picture));
  for (const auto& [key, array] : state) observation.state[key] = rows(array);
  return observation;
}

FloatArray copy(const NoiseArray& noise) {
  return {.shape = {static_cast<int64_t>(noise.shape(0)), static_cast<int64_t>(noise.shape(1))},
          .values = {noise.data(), noise.data() + noise.size()}};
}

// [batch, horizon, action_dim]: item b has the noise of `ramet predict --seed seed + b`, as in `ramet serve`.
nb::object make_noise(const SharedPolicy& shared, uint64_t seed, int64_t batch) {
  std::vector<int64_t> shape = shared.policy().noise_shape();
  shape.insert(shape.begin(), batch);
  std::vector<float> values(static_cast<size_t>(shape[0] * shape[1] * shape[2]));
  const auto item = values.size() / static_cast<size_t>(batch);
  for (uint64_t b = 0; b < static_cast<uint64_t>(batch); ++b)
    fill_noise(seed + b, std::span(values).subspan(b * item, item));
  return to_numpy(shape, std::move(values));
}

std::pair<nb::dict, nb::dict> act(SharedPolicy& shared, const Video& video,
                                  const std::map<std::string, StateArray>& state,
                                  const std::map<std::string, std::string>& language, const NoiseArray& noise,
                                  int steps) {
  const ActOptions options{.noise = copy(noise), .steps = steps};
  Actions actions = value_of(shared.act(make_observation(video, state, language), options));
  nb::dict arrays;
  for (const std::string& key : actions.keys) arrays[key.c_str()] = to_numpy(std::move(actions.actions.at(key)));
  return {arrays, to_dict(actions.timing)};
}

nb::dict describe(const ModalityKey& key) {
  nb::dict fields;
  fields["key"] = key.key;
  fields["dims"] = key.dims;
  fields["normalization"] = key.normalization;
  fields["representation"] = key.representation;
  fields["action_type"] = key.action_type;
  fields["action_format"] = key.action_format;
  fields["reference_state"] = key.reference_state;
  return fields;
}

nb::list describe(const std::vector<ModalityKey>& keys) {
  nb::list list;
  for (const ModalityKey& key : keys) list.append(describe(key));
  return list;
}

nb::dict describe_robot(const SharedPolicy& shared) {
  const EmbodimentInfo& robot = shared.policy().robot();
  nb::dict fields;
  fields["tag"] = robot.tag;
  fields["cameras"] = robot.cameras;
  fields["state"] = describe(robot.state);
  fields["action"] = describe(robot.action);
  fields["language_keys"] = robot.language_keys;
  fields["video_delta_indices"] = robot.video_delta_indices;
  fields["state_delta_indices"] = robot.state_delta_indices;
  fields["action_delta_indices"] = robot.action_delta_indices;
  return fields;
}

}  // namespace

void bind_policy(nb::module_& module) {
  nb::class_<SharedPolicy>(module, "Policy")
      .def("act", act, nb::arg("video").noconvert(), nb::arg("state").noconvert(), nb::arg("language"),
           nb::arg("noise").noconvert(), nb::arg("steps"))
      .def("noise", make_noise, nb::arg("seed"), nb::arg("batch"))
      .def("robot", describe_robot)
      .def_prop_ro("version", [](const SharedPolicy& shared) { return shared.policy().version(); })
      .def_prop_ro("noise_shape", [](const SharedPolicy& shared) { return shared.policy().noise_shape(); })
      .def_prop_ro("seed", &SharedPolicy::seed)
      .def_prop_ro("facts", [](const SharedPolicy& shared) { return to_dict(shared.facts()); });
  module.def("open_policy", open, nb::arg("directory"), nb::arg("settings"), nb::arg("data_dir"));
}

}  // namespace ramet::python
