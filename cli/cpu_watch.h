// How many cores other processes used while this one worked.
#pragma once

#include <chrono>

namespace ramet::cli {

class CpuWatch {
 public:
  CpuWatch() { restart(); }
  void restart();
  double cores_of_others() const;  // since the last restart; 0 where the system does not tell

 private:
  double machine_seconds_ = 0, own_seconds_ = 0;  // of CPU time, at the start
  std::chrono::steady_clock::time_point start_;
};

}  // namespace ramet::cli
