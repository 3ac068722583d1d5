// The machine's float32 multiply-add peak, measured: what benchmarks compare themselves to.
#pragma once

#include "base/thread_pool.h"

#include <benchmark/benchmark.h>

#include <algorithm>

namespace ramet::bench {

double wall_seconds();
double cpu_seconds();  // of all threads of the process

double peak_flops_per_cpu_second();  // one core; the best of several short runs

// Runs body() in the benchmark's loop and reports, for the fastest iteration, GFLOP/s of wall time, and operations per
// CPU second as a share of the peak: this stays meaningful while other programs take turns on the cores.
template <class Body>
void report_flops(benchmark::State& state, double flops, const Body& body) {
  double wall = 1e30;
  double cpu = 1e30;
  double peak = peak_flops_per_cpu_second();
  for ([[maybe_unused]] auto iteration : state) {
    const double wall_start = wall_seconds();
    const double cpu_start = cpu_seconds();
    body();
    cpu = std::min(cpu, cpu_seconds() - cpu_start);
    wall = std::min(wall, wall_seconds() - wall_start);
  }
  peak = std::max(peak, peak_flops_per_cpu_second());
  state.counters["GFLOP/s"] = flops / wall * 1e-9;
  state.counters["of_peak_%"] = 100.0 * flops / cpu / peak;
}

}  // namespace ramet::bench
