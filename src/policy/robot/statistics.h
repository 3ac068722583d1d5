// Normalisation statistics of every robot of a checkpoint.
//
//   statistics.json = {TAG: {"state" | "action" | "relative_action": {KEY: {min, max, mean, std, q01, q99}}}}
//
// A statistic is a list [D], or [horizon][D] for relative actions: one row per future step. Entries that no robot in
// use needs may be missing, empty or wrong: what is wrong with one is told when that one is asked for.
// Errors: not_found, invalid_file, with file and key. Source: spec gr00t-n1.7, section 1.4.
#pragma once

#include "base/json.h"

#include <ramet/error.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace ramet {

enum class StatisticsGroup { state, action, relative_action };
enum class Statistic { min, max, mean, std, q01, q99 };
inline constexpr size_t kStatistics = 6;

std::string_view name(StatisticsGroup group);
std::string_view name(Statistic statistic);

struct StatisticRows {
  int64_t rows = 0;  // 1 for a list [D], which then serves every step
  int64_t dims = 0;
  std::vector<double> values;  // [rows, dims]

  std::span<const double> row(int64_t step) const;
};

struct KeyStatistics {
  std::string where;  // "statistics.json: libero_sim.state.x"
  std::array<StatisticRows, kStatistics> rows;

  int64_t dims() const;  // of the statistics that are there; 0 when none is
  Result<StatisticRows> require(Statistic statistic) const;
};

class Statistics {
 public:
  static Result<Statistics> load(const std::filesystem::path& path);
  static Result<Statistics> parse(const Json& root);
  // One robot's {"state": ..., "action": ..., "relative_action": ...}.
  static Result<Statistics> parse_robot(const std::string& tag, const Json& groups);
  explicit Statistics(std::string file) : file_(std::move(file)) {}

  void set(const std::string& tag, StatisticsGroup group, const std::string& key, KeyStatistics statistics);
  const std::string& file() const { return file_; }
  std::vector<std::string> tags() const;
  bool has(const std::string& tag, StatisticsGroup group, const std::string& key) const;
  Result<KeyStatistics> find(const std::string& tag, StatisticsGroup group, const std::string& key) const;

 private:
  using Key = std::tuple<std::string, StatisticsGroup, std::string>;
  Status add_robot(const std::string& tag, const Json& groups);
  std::vector<std::string> keys_of(const std::string& tag, StatisticsGroup group) const;

  std::string file_;
  std::map<Key, Result<KeyStatistics>> entries_;
};

}  // namespace ramet
