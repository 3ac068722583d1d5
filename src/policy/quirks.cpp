#include "policy/quirks.h"

#include "base/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

namespace ramet {
namespace {

constexpr std::array kGroot{CheckpointKind::groot_n15, CheckpointKind::groot_n16, CheckpointKind::groot_n17};

struct Switch {
  std::string_view name;
  std::string_view usual, other;          // values; the first is the default
  bool Quirks::*flag;                     // set by `other`
  std::span<const CheckpointKind> kinds;  // that have it; empty: all
};

constexpr std::array kSwitches{
    Switch{"rope", "exact", "bf16", &Quirks::rope_bf16, {}},
    Switch{"letterbox", "file", "always", &Quirks::letterbox_always, std::span(kGroot).subspan(1)},
    Switch{"prompt", "list", "plain", &Quirks::plain_prompt, std::span(kGroot).first(1)}};

std::vector<Switch> switches_of(CheckpointKind kind) {
  std::vector<Switch> list;
  for (const Switch& each : kSwitches)
    if (each.kinds.empty() || std::ranges::find(each.kinds, kind) != each.kinds.end()) list.push_back(each);
  return list;
}

std::vector<std::string> names_of(const std::vector<Switch>& switches) {
  std::vector<std::string> list;
  for (const Switch& each : switches) list.emplace_back(each.name);
  return list;
}

}  // namespace

Result<Quirks> parse_quirks(const std::map<std::string, std::string>& given, CheckpointKind kind) {
  const std::vector<Switch> switches = switches_of(kind);
  Quirks quirks;
  for (const auto& [name, value] : given) {
    const auto found = std::ranges::find(switches, name, &Switch::name);
    if (found == switches.end())
      return fail(Code::usage, "quirk " + name, fmt::format("a switch of {}", ramet::name(kind)), "none",
                  nearest_hint(name, names_of(switches)));
    if (value != found->usual && value != found->other)
      return fail(Code::usage, "quirk " + name, fmt::format("{} or {}", found->usual, found->other), value);
    quirks.*found->flag = value == found->other;
  }
  return quirks;
}

std::vector<Setting> list_quirks(const std::map<std::string, std::string>& given, CheckpointKind kind) {
  std::vector<Setting> list;
  for (const Switch& each : switches_of(kind)) {
    const auto it = given.find(std::string(each.name));
    if (it == given.end())
      list.push_back({std::string(each.name), std::string(each.usual), "default"});
    else
      list.push_back({it->first, it->second, "option"});
  }
  return list;
}

}  // namespace ramet
