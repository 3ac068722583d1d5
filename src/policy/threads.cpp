#include "policy/threads.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>
#include <vector>

namespace ramet {
namespace {

constexpr int kMaxThreads = 1024;

std::vector<int> allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  return cpus;
}

}  // namespace

int count_cores(std::span<const int> cpus, const std::filesystem::path& sysfs) {
  std::set<std::string> cores;
  for (const int cpu : cpus) {
    std::string siblings;
    std::getline(std::ifstream(sysfs / fmt::format("cpu{}/topology/thread_siblings_list", cpu)), siblings);
    cores.insert(siblings.empty() ? fmt::format("cpu{}", cpu) : siblings);
  }
  return static_cast<int>(cores.size());
}

int choose_threads(int asked) {
  const int threads = asked > 0 ? asked : count_cores(allowed_cpus(), "/sys/devices/system/cpu");
  return std::clamp(threads, 1, kMaxThreads);
}

}  // namespace ramet
