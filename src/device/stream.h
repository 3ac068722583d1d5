// Where an op runs: the threads it may use and the scratch memory it was promised when the program was planned.
#pragma once

#include "base/thread_pool.h"

#include <cstddef>
#include <span>

namespace ramet {

struct Stream {
  ThreadPool& pool;
  std::span<std::byte> scratch;  // 64-byte aligned; contents are undefined before and after an op
};

}  // namespace ramet
