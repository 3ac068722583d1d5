#include "base/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace ramet {
namespace {

constexpr size_t kMaxCompared = 200;  // letters of a name that take part; longer ones are cut

size_t edit_distance(std::string_view a, std::string_view b) {
  a = a.substr(0, kMaxCompared);
  b = b.substr(0, kMaxCompared);
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substituted = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string list_names(const std::vector<std::string>& names, size_t limit) {
  const size_t shown = std::min(limit, names.size());
  std::string text = fmt::format("{}", fmt::join(names.begin(), names.begin() + static_cast<ptrdiff_t>(shown), ", "));
  if (names.size() > shown) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

std::string nearest_hint(std::string_view name, const std::vector<std::string>& known) {
  if (known.empty()) return {};
  size_t best = std::string::npos;
  std::vector<std::string> nearest;
  for (const std::string& candidate : known) {
    const size_t distance = edit_distance(name, candidate);
    if (distance < best) nearest.clear();
    if (distance <= best) nearest.push_back(candidate);
    best = std::min(best, distance);
  }
  if (best <= std::max<size_t>(2, name.size() / 4)) return fmt::format("did you mean {}?", list_names(nearest, 3));
  return fmt::format("known: {}", list_names(known));
}

}  // namespace ramet
