#include "ops/bench_peak.h"

#include <time.h>

#include <chrono>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/bench_peak.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace ramet::bench::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr int kChains = 12;
constexpr int kSteps = 20000;

// Independent chains of multiply-adds in registers; returns the floating-point operations done.
double multiply_add_chains(float* sink) {
  const hn::ScalableTag<float> d;
  const auto factor = hn::Set(d, 0.5F);
  const auto term = hn::Set(d, 0.25F);
  hn::Vec<decltype(d)> chain[kChains];
  for (int i = 0; i < kChains; ++i) chain[i] = hn::Iota(d, static_cast<float>(i));
  for (int step = 0; step < kSteps; ++step)
    for (auto& value : chain) value = hn::MulAdd(value, factor, term);
  auto sum = chain[0];
  for (int i = 1; i < kChains; ++i) sum = hn::Add(sum, chain[i]);
  *sink = hn::GetLane(sum);
  return 2.0 * kChains * kSteps * static_cast<double>(hn::Lanes(d));
}

}  // namespace ramet::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ramet::bench {

HWY_EXPORT(multiply_add_chains);

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double cpu_seconds() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double peak_flops_per_cpu_second() {
  const auto chains = HWY_DYNAMIC_DISPATCH(multiply_add_chains);
  double best = 0;
  for (int attempt = 0; attempt < 100; ++attempt) {
    float sink = 0;
    const double start = cpu_seconds();
    const double flops = chains(&sink);
    best = std::max(best, flops / (cpu_seconds() - start));
    benchmark::DoNotOptimize(sink);
  }
  return best;
}

}  // namespace ramet::bench
#endif
