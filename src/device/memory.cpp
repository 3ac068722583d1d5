#include "device/memory.h"

#include "device/control_group.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

namespace ramet {
namespace {

// The number after `name` in a file of lines "NAME NUMBER ...".
std::optional<int64_t> find_number(const std::filesystem::path& path, const std::string& name) {
  std::ifstream file(path);
  std::string word;
  int64_t number = 0;
  while (file >> word) {
    if (word == name && file >> number) return number;
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return std::nullopt;
}

std::optional<int64_t> whole_file(const std::filesystem::path& path) {  // "max" is no number
  std::ifstream file(path);
  int64_t number = 0;
  if (!(file >> number)) return std::nullopt;
  return number;
}

std::optional<int64_t> left_by(const std::filesystem::path& folder) {
  const auto most = whole_file(folder / "memory.max"), used = whole_file(folder / "memory.current");
  if (!most || !used) return std::nullopt;
  const std::filesystem::path stat = folder / "memory.stat";
  const int64_t files = find_number(stat, "active_file").value_or(0) + find_number(stat, "inactive_file").value_or(0);
  return std::max<int64_t>(*most - *used + files, 0);
}

}  // namespace

std::optional<int64_t> system_memory(const std::filesystem::path& meminfo) {
  const std::optional<int64_t> kib = find_number(meminfo, "MemAvailable:");
  if (!kib) return std::nullopt;
  return *kib * 1024;
}

std::optional<int64_t> group_memory(const std::filesystem::path& mount, const std::filesystem::path& group) {
  std::optional<int64_t> least;
  for_each_group(mount, group, [&](const std::filesystem::path& folder) {
    if (const auto left = left_by(folder)) least = std::min(*left, least.value_or(*left));
  });
  return least;
}

int64_t available_memory() {
  constexpr int64_t kUnknown = std::numeric_limits<int64_t>::max();
  return std::min(system_memory("/proc/meminfo").value_or(kUnknown),
                  group_memory(kControlGroups, own_control_group()).value_or(kUnknown));
}

}  // namespace ramet
