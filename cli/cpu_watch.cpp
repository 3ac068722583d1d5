#include "cpu_watch.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string>

namespace ramet::cli {
namespace {

// The first line of /proc/stat: user nice system idle iowait irq softirq steal, in ticks; what is neither idle nor
// waiting.
double machine_seconds() {
  std::ifstream file("/proc/stat");
  std::string label;
  std::array<double, 8> ticks{};
  file >> label;
  for (double& tick : ticks) file >> tick;
  const double busy = ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6] + ticks[7];
  return file ? busy / static_cast<double>(::sysconf(_SC_CLK_TCK)) : 0.0;
}

double own_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

void CpuWatch::restart() {
  machine_seconds_ = machine_seconds();
  own_seconds_ = own_seconds();
  start_ = std::chrono::steady_clock::now();
}

double CpuWatch::cores_of_others() const {
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  const double others = (machine_seconds() - machine_seconds_) - (own_seconds() - own_seconds_);
  return wall > 0 ? std::max(0.0, others / wall) : 0.0;
}

}  // namespace ramet::cli
