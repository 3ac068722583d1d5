#include "policy/robot/checked_json.h"

#include <fmt/format.h>

#include <set>

namespace ramet {
namespace {

enum class Presence { absent, null, value };

Presence presence(const Json& object, std::string_view key) {
  if (object.has(key)) return Presence::value;
  return object.is_object() && object.at(key) ? Presence::null : Presence::absent;
}

Result<double> fraction(const Json& node) {
  RAMET_TRY(const double value, node.as<double>());
  if (!(value > 0 && value <= 1))
    return fail(Code::invalid_value, node.where(), "a number above 0, at most 1", fmt::format("{}", value));
  return value;
}

}  // namespace

Result<int64_t> int_in_range(const Json& node, IntRange range) {
  RAMET_TRY(const int64_t value, node.as<int64_t>());
  if (value < range.min || value > range.max)
    return fail(Code::invalid_value, node.where(), fmt::format("an integer from {} to {}", range.min, range.max),
                fmt::format("{}", value));
  return value;
}

Result<int64_t> int_or(const Json& object, std::string_view key, int64_t fallback, IntRange range) {
  if (!object.has(key)) return fallback;
  RAMET_TRY(const Json node, object.at(key));
  return int_in_range(node, range);
}

Result<std::optional<int64_t>> nullable_int(const Json& object, std::string_view key, std::optional<int64_t> fallback) {
  switch (presence(object, key)) {
    case Presence::absent: return fallback;
    case Presence::null: return std::nullopt;
    case Presence::value: break;
  }
  return int_or(object, key, 0);
}

Result<std::optional<double>> nullable_fraction(const Json& object, std::string_view key,
                                                std::optional<double> fallback) {
  switch (presence(object, key)) {
    case Presence::absent: return fallback;
    case Presence::null: return std::nullopt;
    case Presence::value: break;
  }
  RAMET_TRY(const Json node, object.at(key));
  return fraction(node);
}

std::string place(const Json& object, std::string_view key) {
  const bool at_root = object.where().find(": ") == std::string::npos;
  return fmt::format("{}{}{}", object.where(), at_root ? ": " : ".", key);
}

Result<std::vector<std::string>> unique_names(const Json& list) {
  RAMET_TRY(std::vector<std::string> names, list.as<std::vector<std::string>>());
  std::set<std::string> seen;
  for (const std::string& name : names) {
    if (name.empty()) return fail(Code::invalid_value, list.where(), "names", "an empty text");
    if (!seen.insert(name).second) return fail(Code::invalid_value, list.where(), "different names", name + " twice");
  }
  return names;
}

std::string enum_name(std::string_view text) {
  std::string name(text);
  for (char& c : name) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    if (c == '+') c = '_';
  }
  return name;
}

}  // namespace ramet
