#include "server/request.h"

#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <array>
#include <optional>

namespace ramet::server {
namespace {

constexpr std::array kEndpoints{Endpoint::ping, Endpoint::kill, Endpoint::get_action, Endpoint::reset,
                                Endpoint::get_modality_config};

std::optional<Endpoint> find_endpoint(std::string_view text) {
  for (const Endpoint endpoint : kEndpoints)
    if (name(endpoint) == text) return endpoint;
  return std::nullopt;
}

// An error whose text is `text` alone.
tl::unexpected<Error> plain(Code code, std::string text) { return fail(code, std::move(text), "", ""); }

std::string cut(std::string_view text) {
  std::string line = quoted(text);
  return line.substr(1, line.size() - 2);
}

Result<Endpoint> read_endpoint(const Map& message, bool has_reset) {
  const Value* value = message.find("endpoint");
  if (value == nullptr) return Endpoint::get_action;
  const auto* text = value->as<Text>();
  if (text == nullptr) return fail(Code::invalid_value, "endpoint", "a text", type_name(*value));
  const std::optional<Endpoint> endpoint = find_endpoint(text->view);
  if (endpoint && (has_reset || *endpoint != Endpoint::reset)) return *endpoint;
  return plain(Code::not_found, "Unknown endpoint: " + cut(text->view));
}

Status check_arguments(const Map& data, Endpoint endpoint) {
  for (const Entry& entry : data.entries) {
    const bool known = !entry.key_is_bytes &&
                       (entry.key == "options" || (endpoint == Endpoint::get_action && entry.key == "observation"));
    if (!known)
      return fail(Code::surplus, std::string(name(endpoint)) + ": data",
                  endpoint == Endpoint::reset ? "options" : "observation and options", quoted(entry.key));
  }
  return {};
}

}  // namespace

std::string_view name(Endpoint endpoint) {
  switch (endpoint) {
    case Endpoint::ping: return "ping";
    case Endpoint::kill: return "kill";
    case Endpoint::get_action: return "get_action";
    case Endpoint::reset: return "reset";
    case Endpoint::get_modality_config: return "get_modality_config";
  }
  return "";
}

Result<Request> read_request(const Value& message, bool has_reset) {
  const auto* map = message.as<Map>();
  if (map == nullptr) return fail(Code::invalid_value, "malformed message", "a map", type_name(message));
  Request request;
  RAMET_TRY(request.endpoint, read_endpoint(*map, has_reset));
  const bool takes_data = request.endpoint == Endpoint::get_action || request.endpoint == Endpoint::reset;
  const Value* data = map->find("data");
  if (!takes_data || (data == nullptr && request.endpoint == Endpoint::reset)) return request;
  request.data = data ? data->as<Map>() : nullptr;
  if (request.data == nullptr)
    return fail(Code::invalid_value, std::string(name(request.endpoint)) + ": data", "a map",
                data ? type_name(*data) : "none");
  const bool is_n15_action = request.endpoint == Endpoint::get_action && !request.data->find("observation");
  if (!is_n15_action) RAMET_TRY_STATUS(check_arguments(*request.data, request.endpoint));
  return request;
}

bool ApiToken::admits(std::string_view guess) const {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> wanted{}, given{};
  SHA256(reinterpret_cast<const unsigned char*>(token_.data()), token_.size(), wanted.data());
  SHA256(reinterpret_cast<const unsigned char*>(guess.data()), guess.size(), given.data());
  return !is_set() || CRYPTO_memcmp(wanted.data(), given.data(), wanted.size()) == 0;
}

bool ApiToken::admits(const Value& message) const {
  if (!is_set()) return true;
  const auto* map = message.as<Map>();
  const Value* token = map ? map->find("api_token") : nullptr;
  const auto* text = token ? token->as<Text>() : nullptr;
  return text != nullptr && admits(text->view);
}

}  // namespace ramet::server
