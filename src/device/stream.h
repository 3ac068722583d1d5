// Where an op runs: the threads it may use, the scratch memory it was promised when the program was planned, and the
// instruction set that its kernels are written in.
#pragma once

#include "base/thread_pool.h"
#include "device/isa.h"

#include <cstddef>
#include <span>

namespace ramet {

struct Stream {
  ThreadPool& pool;
  std::span<std::byte> scratch;  // 64-byte aligned; contents are undefined before and after an op
  Isa isa = Isa::scalar;         // reference kernels do not ask for it
};

}  // namespace ramet
