#include "policy/threads.h"

#include "device/cpu.h"

#include <algorithm>

namespace ramet {

int choose_threads(int asked) {
  constexpr int kMaxThreads = 1024;
  return std::clamp(asked > 0 ? asked : physical_cores(), 1, kMaxThreads);
}

}  // namespace ramet
