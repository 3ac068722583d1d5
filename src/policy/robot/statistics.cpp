#include "policy/robot/statistics.h"

#include "base/names.h"

#include <fmt/format.h>

#include <algorithm>

namespace ramet {
namespace {

constexpr std::array kGroups{StatisticsGroup::state, StatisticsGroup::action, StatisticsGroup::relative_action};
constexpr std::array<std::string_view, kStatistics> kNames{"min", "max", "mean", "std", "q01", "q99"};

Result<StatisticRows> parse_rows(const Json& node) {
  RAMET_TRY(const std::vector<Json> entries, node.elements());
  if (entries.empty() || !entries.front().is_array()) {
    RAMET_TRY(std::vector<double> values, node.as<std::vector<double>>());
    const auto dims = static_cast<int64_t>(values.size());
    return StatisticRows{dims > 0 ? 1 : 0, dims, std::move(values)};
  }
  RAMET_TRY(const auto lists, node.as<std::vector<std::vector<double>>>());
  StatisticRows rows{static_cast<int64_t>(lists.size()), static_cast<int64_t>(lists.front().size()), {}};
  for (size_t step = 0; step < lists.size(); ++step) {
    if (lists[step].size() != lists.front().size())
      return fail(Code::invalid_file, fmt::format("{}[{}]", node.where(), step), fmt::format("{} numbers", rows.dims),
                  fmt::format("{}", lists[step].size()));
    rows.values.insert(rows.values.end(), lists[step].begin(), lists[step].end());
  }
  return rows;
}

// Statistics of one key describe the same numbers, so they have the same length.
Status check_lengths(const KeyStatistics& key) {
  for (size_t i = 0; i < kStatistics; ++i)
    if (key.rows[i].dims != 0 && key.rows[i].dims != key.dims())
      return fail(Code::invalid_file, fmt::format("{}.{}", key.where, kNames[i]),
                  fmt::format("{} numbers, as in the other statistics of this key", key.dims()),
                  fmt::format("{}", key.rows[i].dims));
  return {};
}

Result<KeyStatistics> parse_key(const Json& node) {
  KeyStatistics key{.where = node.where(), .rows = {}};
  if (!node.is_object())
    return fail(Code::invalid_file, node.where(), "an object with min, max, mean, std, q01, q99", node.type_name());
  for (size_t i = 0; i < kStatistics; ++i)
    if (node.has(kNames[i])) {
      RAMET_TRY(const Json list, node.at(kNames[i]));
      RAMET_TRY(key.rows[i], parse_rows(list));
    }
  RAMET_TRY_STATUS(check_lengths(key));
  return key;
}

}  // namespace

std::string_view name(StatisticsGroup group) {
  constexpr std::array<std::string_view, 3> names{"state", "action", "relative_action"};
  return names[static_cast<size_t>(group)];
}

std::string_view name(Statistic statistic) { return kNames[static_cast<size_t>(statistic)]; }

std::span<const double> StatisticRows::row(int64_t step) const {
  const auto first = static_cast<size_t>((rows == 1 ? 0 : step) * dims);
  return std::span(values).subspan(first, static_cast<size_t>(dims));
}

int64_t KeyStatistics::dims() const {
  for (const StatisticRows& statistic : rows)
    if (statistic.dims > 0) return statistic.dims;
  return 0;
}

Result<StatisticRows> KeyStatistics::require(Statistic statistic) const {
  const StatisticRows& found = rows[static_cast<size_t>(statistic)];
  if (!found.values.empty()) return found;
  return fail(Code::invalid_file, fmt::format("{}.{}", where, name(statistic)), "a list of numbers", "none",
              "the statistics of this robot are incomplete: recompute them from its data set, or choose another robot");
}

Result<Statistics> Statistics::load(const std::filesystem::path& path) {
  RAMET_TRY(const JsonFile file, JsonFile::load(path));
  return parse(file.root());
}

Result<Statistics> Statistics::parse(const Json& root) {
  Statistics statistics(root.where());
  RAMET_TRY(const auto robots, root.items());
  for (const auto& [tag, groups] : robots) RAMET_TRY_STATUS(statistics.add_robot(tag, groups));
  return statistics;
}

Result<Statistics> Statistics::parse_robot(const std::string& tag, const Json& groups) {
  Statistics statistics(groups.where());
  RAMET_TRY_STATUS(statistics.add_robot(tag, groups));
  return statistics;
}

Status Statistics::add_robot(const std::string& tag, const Json& groups) {
  for (const StatisticsGroup group : kGroups) {
    if (!groups.has(name(group))) continue;
    RAMET_TRY(const Json keys, groups.at(name(group)));
    RAMET_TRY(const auto items, keys.items());
    for (const auto& [key, node] : items) entries_.insert_or_assign({tag, group, key}, parse_key(node));
  }
  return {};
}

void Statistics::set(const std::string& tag, StatisticsGroup group, const std::string& key, KeyStatistics statistics) {
  entries_.insert_or_assign({tag, group, key}, std::move(statistics));
}

std::vector<std::string> Statistics::tags() const {
  std::vector<std::string> tags;
  for (const auto& [key, entry] : entries_)
    if (tags.empty() || tags.back() != std::get<0>(key)) tags.push_back(std::get<0>(key));
  return tags;
}

std::vector<std::string> Statistics::keys_of(const std::string& tag, StatisticsGroup group) const {
  std::vector<std::string> keys;
  for (const auto& [key, entry] : entries_)
    if (std::get<0>(key) == tag && std::get<1>(key) == group) keys.push_back(std::get<2>(key));
  return keys;
}

bool Statistics::has(const std::string& tag, StatisticsGroup group, const std::string& key) const {
  return entries_.contains({tag, group, key});
}

Result<KeyStatistics> Statistics::find(const std::string& tag, StatisticsGroup group, const std::string& key) const {
  const auto it = entries_.find({tag, group, key});
  if (it != entries_.end()) return it->second;
  const auto known = tags();
  const bool has_tag = std::find(known.begin(), known.end(), tag) != known.end();
  return fail(Code::not_found, fmt::format("{}: {}.{}.{}", file_, tag, name(group), key), "statistics of this key",
              "none", has_tag ? nearest_hint(key, keys_of(tag, group)) : "it describes " + list_names(known));
}

}  // namespace ramet
