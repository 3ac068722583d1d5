#include "policy/quirks.h"

#include "base/names.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>

namespace ramet {
namespace {

struct Switch {
  std::string_view name;
  std::string_view usual, other;  // values; the first is the default
  bool Quirks::*flag;             // set by `other`
};

constexpr std::array kSwitches{Switch{"rope", "exact", "bf16", &Quirks::rope_bf16},
                               Switch{"letterbox", "file", "always", &Quirks::letterbox_always},
                               Switch{"prompt", "list", "plain", &Quirks::plain_prompt}};

const Switch* find(std::string_view name) {
  const auto it = std::ranges::find(kSwitches, name, &Switch::name);
  return it == kSwitches.end() ? nullptr : &*it;
}

std::vector<std::string> names() {
  std::vector<std::string> list;
  for (const Switch& each : kSwitches) list.emplace_back(each.name);
  return list;
}

}  // namespace

Result<Quirks> parse_quirks(const std::map<std::string, std::string>& given) {
  Quirks quirks;
  for (const auto& [name, value] : given) {
    const Switch* found = find(name);
    if (found == nullptr)
      return fail(Code::usage, "quirk " + name, "a known switch", "none", nearest_hint(name, names()));
    if (value != found->usual && value != found->other)
      return fail(Code::usage, "quirk " + name, fmt::format("{} or {}", found->usual, found->other), value);
    quirks.*found->flag = value == found->other;
  }
  return quirks;
}

std::vector<Setting> list_quirks(const std::map<std::string, std::string>& given) {
  std::vector<Setting> list;
  for (const Switch& each : kSwitches) {
    const auto it = given.find(std::string(each.name));
    if (it == given.end())
      list.push_back({std::string(each.name), std::string(each.usual), "default"});
    else
      list.push_back({it->first, it->second, "option"});
  }
  return list;
}

}  // namespace ramet
