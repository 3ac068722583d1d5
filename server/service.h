// The protocol without its transport: bytes of a request in, bytes of a reply out.
//
// admit() reads and checks a message; whatever needs no policy is answered at once. What needs it becomes a Call that
// has passed every check, which act() runs on the one thread that owns the policy. A Call looks into the message, which
// must outlive it. Source: spec policy-server, section 11.
#pragma once

#include "server/call_options.h"
#include "server/reply.h"
#include "server/request.h"
#include "server/request_record.h"
#include "server/wire/message_reader.h"

#include <atomic>
#include <functional>

namespace ramet::server {

struct ServedPolicy {
  EmbodimentInfo robot;
  std::string version;               // "GR00T N1.7"
  std::vector<int64_t> noise_shape;  // of one observation
  std::function<Result<Actions>(const Observation&, const ActOptions&)> act;
};

enum class FlatObservations { accepted, refused, required };  // where the API is nested

struct ServiceOptions {
  ReadLimits limits;
  ObservationRules rules;
  Wire wire = Wire::automatic;
  FlatObservations flat = FlatObservations::accepted;
  std::string api_token;
  bool allows_kill = true;
  bool with_timing = false;      // timing_ms in the info map
  std::optional<uint64_t> seed;  // for calls that bring none; empty: another one for each call
  int64_t max_steps = 100;
};

struct Answer {
  std::string body;
  bool ends_server = false;
};

struct Call {
  ObservationBatch batch;
  CallOptions options;
  uint64_t seed = 0;
  ActionReply how;
};

using Admission = std::variant<Answer, Call>;

class Service {
 public:
  Service(ServedPolicy policy, ServiceOptions options);

  bool is_n15() const { return is_n15_; }
  const ServiceOptions& options() const { return options_; }
  const ApiToken& token() const { return token_; }

  // From any thread.
  Admission admit(std::string_view body, RequestRecord& record) const;
  Result<Call> admit_observation(const Map& observation, Api api, const Value* options, RequestRecord& record) const;
  // An error as the client sees it; the record keeps the whole.
  std::string refuse(const Error& error, RequestRecord& record) const;

  // From the thread of the policy. Errors are those of the policy.
  Result<std::vector<Actions>> act(const Call& call, RequestRecord& record) const;
  std::string answer(const Call& call, RequestRecord& record) const;  // act as a reply

  // Black pictures and zeros, so that the first client does not wait for what is prepared once.
  Status warm_up() const;

 private:
  Result<Admission> try_admit(std::string_view body, RequestRecord& record) const;
  Result<Admission> dispatch(const Request& request, RequestRecord& record) const;
  Result<Admission> admit_action(const Map& data, RequestRecord& record) const;
  Result<Api> choose_api(const Map& observation) const;
  uint64_t next_seed() const;

  ServedPolicy policy_;
  ServiceOptions options_;
  ApiToken token_;
  bool is_n15_;
  uint64_t first_seed_;
  mutable std::atomic<uint64_t> seeds_given_{0};
};

}  // namespace ramet::server
