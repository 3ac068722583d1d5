#include "environment.h"

#include "settings.h"

#include "base/names.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace ramet::cli {
namespace {

constexpr std::string_view kPrefix = "RAMET_";

std::vector<std::string> known_variables() {
  std::vector<std::string> names;
  for (const std::string& setting : setting_names()) names.push_back(environment_name(setting));
  return names;
}

}  // namespace

std::string environment_name(std::string_view setting) {
  std::string name(kPrefix);
  for (const char c : setting) name += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

std::optional<Given> from_environment(std::string_view setting) {
  const std::string name = environment_name(setting);
  const char* text = std::getenv(name.c_str());
  if (text == nullptr) return std::nullopt;
  return Given{.text = text, .where = name};
}

Status check_environment() {
  const std::vector<std::string> known = known_variables();
  for (char** variable = ::environ; *variable != nullptr; ++variable) {
    const std::string_view name = std::string_view(*variable).substr(0, std::string_view(*variable).find('='));
    if (name.starts_with(kPrefix) && std::ranges::find(known, name) == known.end())
      return fail(Code::usage, std::string(name), "one of " + list_names(known), "an unknown one",
                  did_you_mean(name, known));
  }
  return {};
}

}  // namespace ramet::cli
