// The envelope of a message: {"endpoint": text, "data": map, "api_token": text}, keys in any order, others ignored.
//
// Errors: not_found, invalid_value.  Source: spec policy-server, section 4.
#pragma once

#include "server/wire/value.h"

#include <ramet/error.h>

#include <string>

namespace ramet::server {

enum class Endpoint { ping, kill, get_action, reset, get_modality_config };

std::string_view name(Endpoint endpoint);

struct Request {
  Endpoint endpoint = Endpoint::get_action;
  const Map* data = nullptr;  // null: none was needed and none was read
};

// Unknown endpoints are the text that clients know: "Unknown endpoint: NAME". N1.5 has no `reset`.
Result<Request> read_request(const Value& message, bool has_reset);

// A secret that is compared in the same time whatever is wrong with the guess. Empty: everyone may come in.
class ApiToken {
 public:
  explicit ApiToken(std::string token) : token_(std::move(token)) {}
  bool is_set() const { return !token_.empty(); }
  bool admits(std::string_view guess) const;
  bool admits(const Value& message) const;

 private:
  std::string token_;
};

}  // namespace ramet::server
