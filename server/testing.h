// The recorded messages of goldens/wire, and policies that answer as the recorded ones did.
#pragma once

#include "server/service.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

namespace ramet::server::test {

using nlohmann::ordered_json;

struct WireCase {
  std::string name, version, transport, expect;
  ordered_json entry;                         // of the index
  std::optional<std::string> request, reply;  // bytes; nothing where the index names no file
};

// Empty when the goldens are nowhere. `index`: "index.json", "hostile/index.json".
std::vector<WireCase> wire_cases(const std::string& index);

bool same_tree(const Value& value, const ordered_json& expected);

// The robot that fits a request, or a modality config's reply; and the actions of a reply, one Actions per item.
EmbodimentInfo robot_of(const WireCase& wire_case);
std::vector<Actions> actions_of(const ordered_json& reply_value);

// A robot with a camera `front`, a state `arm` of two numbers and the language key `task`.
EmbodimentInfo small_robot();
ServedPolicy small_policy();

}  // namespace ramet::server::test
