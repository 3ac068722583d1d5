#include "device/cpu.h"

#include "device/control_group.h"

#if defined(__linux__)
#include <sched.h>
#endif
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace ramet {
namespace {

// Empty where the system does not tell.
std::vector<int> allowed_cpus() {
  std::vector<int> cpus;
#if defined(__linux__)
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &allowed)) cpus.push_back(cpu);
#endif
  return cpus;
}

std::string siblings(int cpu, const std::filesystem::path& topology) {
  const std::string name = "cpu" + std::to_string(cpu);
  std::ifstream file(topology / name / "topology" / "thread_siblings_list");
  std::string line;
  return std::getline(file, line) ? line : name;
}

// "QUOTA PERIOD", or "max PERIOD" for no limit.
std::optional<int> quota_of(const std::filesystem::path& cpu_max) {
  std::ifstream file(cpu_max);
  double quota = 0, period = 0;
  if (!(file >> quota >> period) || quota <= 0 || period <= 0) return std::nullopt;
  constexpr double kMost = 1 << 20;
  return static_cast<int>(std::ceil(std::min(quota / period, kMost)));
}

}  // namespace

std::optional<int> cpu_quota(const std::filesystem::path& mount, const std::filesystem::path& group) {
  std::optional<int> least;
  for_each_group(mount, group, [&](const std::filesystem::path& folder) {
    if (const auto quota = quota_of(folder / "cpu.max")) least = std::min(*quota, least.value_or(*quota));
  });
  return least;
}

int count_cores(std::span<const int> cpus, const std::filesystem::path& topology) {
  std::set<std::string> cores;
  for (const int cpu : cpus) cores.insert(siblings(cpu, topology));
  return static_cast<int>(cores.size());
}

int physical_cores() {
  const int cores = count_cores(allowed_cpus(), "/sys/devices/system/cpu");
  const int usable = cores > 0 ? cores : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return std::min(usable, cpu_quota(kControlGroups, own_control_group()).value_or(usable));
}

std::string cpu_model() {
#if defined(__x86_64__)
  std::array<unsigned, 12> words{};  // the brand string: 48 bytes, padded with zeros and blanks
  for (unsigned i = 0; i < 3; ++i) {
    unsigned* w = words.data() + 4 * i;
    if (__get_cpuid(0x80000002U + i, w, w + 1, w + 2, w + 3) == 0) return "unknown";
  }
  std::array<char, sizeof(words) + 1> text{};
  std::memcpy(text.data(), words.data(), sizeof(words));
  const std::string model = text.data();
  const size_t begin = model.find_first_not_of(' ');
  if (begin != std::string::npos) return model.substr(begin, model.find_last_not_of(' ') - begin + 1);
#endif
  return "unknown";
}

}  // namespace ramet
