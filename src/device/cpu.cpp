#include "device/cpu.h"

#if defined(__linux__)
#include <sched.h>
#endif

#include <algorithm>
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

}  // namespace

int count_cores(std::span<const int> cpus, const std::filesystem::path& topology) {
  std::set<std::string> cores;
  for (const int cpu : cpus) cores.insert(siblings(cpu, topology));
  return static_cast<int>(cores.size());
}

int physical_cores() {
  const int cores = count_cores(allowed_cpus(), "/sys/devices/system/cpu");
  return cores > 0 ? cores : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace ramet
