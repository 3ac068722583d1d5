#include "parse.h"

#include "base/names.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

namespace ramet::cli {
namespace {

template <class T>
std::optional<T> number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

tl::unexpected<Error> misfit(const Given& given, std::string expected, std::string hint) {
  return fail(given.code, given.where, std::move(expected), given.text.empty() ? "an empty text" : given.text,
              std::move(hint));
}

Result<int64_t> parse_integer(const Given& given, int64_t min, int64_t max) {
  const std::optional<int64_t> value = number<int64_t>(given.text);
  if (!value || *value < min || *value > max) return misfit(given, fmt::format("an integer from {} to {}", min, max));
  return *value;
}

Result<uint64_t> parse_unsigned(const Given& given) {
  const std::optional<uint64_t> value = number<uint64_t>(given.text);
  if (!value) return misfit(given, fmt::format("an integer from 0 to {}", std::numeric_limits<uint64_t>::max()));
  return *value;
}

Result<double> parse_number(const Given& given) {
  const std::optional<double> value = number<double>(given.text);
  if (!value || !std::isfinite(*value)) return misfit(given, "a finite number");
  return *value;
}

Result<std::vector<float>> parse_floats(const Given& given) {
  std::vector<float> values;
  for (const std::string& part : split(given.text, ',')) {
    const std::optional<float> value = number<float>(part);
    if (!value || !std::isfinite(*value)) return misfit(given, "finite numbers between commas");
    values.push_back(*value);
  }
  return values;
}

Result<std::pair<std::string, std::string>> parse_pair(const Given& given) {
  const size_t equals = given.text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == given.text.size())
    return misfit(given, "KEY=VALUE, neither of them empty");
  return std::pair(given.text.substr(0, equals), given.text.substr(equals + 1));
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& known) {
  std::string hint = nearest_hint(name, known);
  return hint.starts_with("did you mean") ? hint : "";
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (size_t end = text.find(separator); end != std::string_view::npos; end = text.find(separator)) {
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.emplace_back(text);
  return parts;
}

}  // namespace ramet::cli
