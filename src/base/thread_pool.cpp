#include "base/thread_pool.h"

#include "base/assert.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace ramet {
namespace {

constexpr int kSpins = 2000;  // some tens of microseconds, then sleep: the cores are shared with others

void pause() {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

}  // namespace

ThreadPool::ThreadPool(int threads) {
  RAMET_ASSERT(threads >= 1, threads);
  workers_.reserve(static_cast<size_t>(threads - 1));
  for (int i = 1; i < threads; ++i)
    workers_.emplace_back([this, i](std::stop_token stop) { work(std::move(stop), i); });
}

ThreadPool::~ThreadPool() {
  for (std::jthread& worker : workers_) worker.request_stop();
}

void ThreadPool::drain(int worker) {
  for (int64_t item = next_.fetch_add(1); item < count_; item = next_.fetch_add(1)) call_(context_, item, worker);
}

bool ThreadPool::wait_for_job(std::stop_token stop, uint64_t seen) {
  for (int i = 0; i < kSpins; ++i) {
    if (job_.load(std::memory_order_acquire) != seen) return true;
    pause();
  }
  std::unique_lock lock(mutex_);
  return wake_.wait(lock, std::move(stop), [&] { return job_.load(std::memory_order_acquire) != seen; });
}

void ThreadPool::work(std::stop_token stop, int worker) {
  uint64_t seen = 0;
  while (!stop.stop_requested() && wait_for_job(stop, seen)) {
    ++seen;
    drain(worker);
    if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      const std::lock_guard lock(mutex_);
      done_.notify_one();
    }
  }
}

void ThreadPool::run_erased(int64_t count, const void* context, Call call) {
  count_ = count;
  context_ = context;
  call_ = call;
  next_.store(0);
  if (workers_.empty() || count <= 1) return drain(0);
  {
    const std::lock_guard lock(mutex_);
    busy_.store(static_cast<int>(workers_.size()));
    job_.fetch_add(1, std::memory_order_release);
  }
  wake_.notify_all();
  drain(0);
  for (int i = 0; i < kSpins; ++i) {
    if (busy_.load(std::memory_order_acquire) == 0) return;
    pause();
  }
  std::unique_lock lock(mutex_);
  done_.wait(lock, [&] { return busy_.load(std::memory_order_acquire) == 0; });
}

}  // namespace ramet
