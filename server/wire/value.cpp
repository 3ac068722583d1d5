#include "server/wire/value.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace ramet::server {
namespace {

const Value* find_key(const std::vector<Entry>& entries, std::string_view key, bool key_is_bytes) {
  const auto last = std::find_if(entries.rbegin(), entries.rend(), [&](const Entry& entry) {
    return entry.key_is_bytes == key_is_bytes && entry.key == key;
  });
  return last == entries.rend() ? nullptr : &last->value;
}

}  // namespace

std::string_view name(Dialect dialect) { return dialect == Dialect::npy ? "npy" : "mnp"; }

int64_t Array::elements() const {
  int64_t count = 1;
  for (const int64_t dim : shape) count *= dim;
  return count;
}

const Value* Map::find(std::string_view key) const { return find_key(entries, key, false); }
const Value* Map::find_bytes_key(std::string_view key) const { return find_key(entries, key, true); }

std::string type_name(const Value& value) {
  constexpr std::array kNames{"nil",    "a bool", "an integer",       "an integer", "a number",
                              "a text", "bytes",  "a complex number", "a list",     "a map"};
  if (const auto* array = value.as<Array>())
    return fmt::format("an array {} {}", quoted(array->descr), str(array->shape));
  return kNames[value.data.index()];
}

std::string str(const std::vector<int64_t>& shape) { return fmt::format("[{}]", fmt::join(shape, ",")); }

std::string quoted(std::string_view text) {
  constexpr size_t kLimit = 64;
  std::string line = "'";
  for (const char c : text.substr(0, kLimit)) line += c >= 0x20 && c < 0x7F ? c : '?';
  return line + (text.size() > kLimit ? "...'" : "'");
}

}  // namespace ramet::server
