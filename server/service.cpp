#include "server/service.h"

#include "api/guard.h"
#include "server/clock.h"

#include <fmt/format.h>

#include <random>

namespace ramet::server {
namespace {

constexpr const char* kUnauthorized = "Unauthorized: Invalid API token";

tl::unexpected<Error> flat_refused() {
  return fail(Code::invalid_value, "observation", "nested keys: video, state, language", "flat keys",
              "start the server with --api flat, or without --strict");
}

void add_stages(std::vector<StageMs>& sums, const std::vector<StageMs>& stages) {
  if (sums.empty()) {
    sums = stages;
    return;
  }
  for (size_t i = 0; i < sums.size(); ++i) sums[i].ms += stages[i].ms;
}

}  // namespace

Service::Service(ServedPolicy policy, ServiceOptions options)
    : policy_(std::move(policy)),
      options_(std::move(options)),
      token_(options_.api_token),
      is_n15_(options_.wire == Wire::n15 || (options_.wire == Wire::automatic && policy_.version == "GR00T N1.5")),
      first_seed_(uint64_t{std::random_device{}()} << 20) {}

uint64_t Service::next_seed() const {
  constexpr uint64_t kApart = uint64_t{1} << 20;        // more than a batch
  constexpr uint64_t kExact = (uint64_t{1} << 53) - 1;  // every language can hold it as a number
  return options_.seed.value_or((first_seed_ + kApart * seeds_given_++) & kExact);
}

std::string Service::refuse(const Error& error, RequestRecord& record) const {
  record.code = error.where == kUnauthorized ? "unauthorized" : std::string(name(error.code));
  record.error = error.message();
  return client_text(error);
}

Admission Service::admit(std::string_view body, RequestRecord& record) const {
  const Stopwatch watch;
  record.bytes_in = body.size();
  Result<Admission> admission = guarded([&] { return try_admit(body, record); });
  if (!admission) admission = Answer{error_reply(refuse(admission.error(), record))};
  if (const auto* answer = std::get_if<Answer>(&*admission)) record.bytes_out = answer->body.size();
  record.read_ms = watch.ms();
  return std::move(*admission);
}

Result<Admission> Service::try_admit(std::string_view body, RequestRecord& record) const {
  RAMET_TRY(const Value message, read_message(body, options_.limits));
  if (!token_.admits(message)) return fail(Code::usage, kUnauthorized, "", "");
  RAMET_TRY(const Request request, read_request(message, !is_n15_));
  record.endpoint = name(request.endpoint);
  return dispatch(request, record);
}

Result<Admission> Service::dispatch(const Request& request, RequestRecord& record) const {
  switch (request.endpoint) {
    case Endpoint::ping: return Answer{pong()};
    case Endpoint::reset: return Answer{empty_map()};
    case Endpoint::get_modality_config:
      return Answer{modality_config_reply(policy_.robot, is_n15_ ? Wire::n15 : options_.wire)};
    case Endpoint::kill:
      if (options_.allows_kill) return Answer{nil_reply(), true};
      return fail(Code::unsupported, "kill", "a server that clients may end", "--no-kill");
    case Endpoint::get_action: break;
  }
  return admit_action(*request.data, record);
}

Result<Api> Service::choose_api(const Map& observation) const {
  if (options_.flat == FlatObservations::required) return Api::flat;
  if (!is_flat(observation)) return Api::nested;
  if (options_.flat == FlatObservations::refused) return flat_refused();
  return Api::flat;
}

Result<Admission> Service::admit_action(const Map& data, RequestRecord& record) const {
  const Value* observation = data.find("observation");
  if (observation == nullptr && is_n15_) {
    RAMET_TRY(Call call, admit_observation(data, Api::n15, nullptr, record));
    return Admission(std::move(call));
  }
  const auto* map = observation ? observation->as<Map>() : nullptr;
  if (map == nullptr)
    return fail(Code::not_found, "get_action: data['observation']", "a map",
                observation ? type_name(*observation) : "none");
  RAMET_TRY(const Api api, choose_api(*map));
  RAMET_TRY(Call call, admit_observation(*map, api, data.find("options"), record));
  return Admission(std::move(call));
}

Result<Call> Service::admit_observation(const Map& observation, Api api, const Value* options,
                                        RequestRecord& record) const {
  record.api = name(api);
  Call call;
  RAMET_TRY(call.batch, read_observation(observation, api, policy_.robot, options_.rules));
  const auto batch = static_cast<int64_t>(call.batch.items.size());
  RAMET_TRY(call.options,
            read_call_options(options,
                              {.batch = batch, .noise_shape = policy_.noise_shape, .max_steps = options_.max_steps}));
  call.seed = call.options.seed.value_or(next_seed());
  const bool is_mnp = options_.wire == Wire::mnp ||
                      (options_.wire == Wire::automatic && !is_n15_ && call.batch.dialect == Dialect::mnp);
  call.how = {.api = api,
              .form = is_mnp ? ArrayForm::mnp : ArrayForm::npy,
              .has_batch_axis = call.batch.has_batch_axis,
              .with_timing = options_.with_timing};
  record.dialect = name(call.batch.dialect);
  record.batch = batch;
  record.ignored = call.options.ignored;
  if (call.options.noise.empty()) record.seed = call.seed;
  return call;
}

Result<std::vector<Actions>> Service::act(const Call& call, RequestRecord& record) const {
  const Stopwatch watch;
  std::vector<Actions> results;
  for (size_t item = 0; item < call.batch.items.size(); ++item) {
    ActOptions options{.seed = call.seed + item, .steps = call.options.steps};
    if (!call.options.noise.empty()) options.noise = call.options.noise[item];
    RAMET_TRY(Actions actions, policy_.act(call.batch.items[item], options));
    add_stages(record.stages, actions.timing);
    results.push_back(std::move(actions));
  }
  record.predict_ms = watch.ms();
  return results;
}

std::string Service::answer(const Call& call, RequestRecord& record) const {
  const Result<std::vector<Actions>> actions = guarded([&] { return act(call, record); });
  const Stopwatch watch;
  std::string body = actions ? action_reply(*actions, call.how) : error_reply(refuse(actions.error(), record));
  record.reply_ms = watch.ms();
  record.bytes_out = body.size();
  return body;
}

Status Service::warm_up() const {
  constexpr int64_t kSide = 256;
  const std::vector<uint8_t> black(size_t{kSide * kSide * 3});
  Observation observation;
  observation.name = "warm-up";
  for (const std::string& camera : policy_.robot.cameras)
    observation.video[camera].assign(policy_.robot.video_delta_indices.size(), ImageView{black, kSide, kSide});
  for (const ModalityKey& key : policy_.robot.state)
    observation.state[key.key].assign(policy_.robot.state_delta_indices.size(),
                                      std::vector<float>(static_cast<size_t>(std::max<int64_t>(key.dims, 1))));
  observation.language[""] = "wait";
  return guarded([&] { return policy_.act(observation, {}); }).map([](const Actions&) {});
}

}  // namespace ramet::server
