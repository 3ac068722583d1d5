// What this machine can do at the moment, to compare stages of a model with: nothing but multiply-adds in registers,
// and nothing but reading memory. Both on all threads of a pool.
#pragma once

#include "base/thread_pool.h"
#include "ops/product_kernel.h"

#include <cstddef>
#include <span>

namespace ramet::ops {

// Operations per second (a multiply-add counts two) of the instruction that `kernel` multiplies with; runs for about
// `seconds`.
double compute_peak(ThreadPool& pool, const ProductKernel& kernel, double seconds);

// Bytes per second; `memory` is larger than the caches. One pass over it.
double read_peak(ThreadPool& pool, std::span<const std::byte> memory);

}  // namespace ramet::ops
