// A fixed set of threads that share the items of one loop at a time.
//
// Items are handed out by a counter, so a core that is slow for a while gets fewer of them. Which thread computes an
// item never changes the item's result. A run allocates nothing. Waiting threads spin for a moment and then sleep.
// One loop at a time: `run` must not be called from two threads at once, or from inside an item.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace ramet {

class ThreadPool {
 public:
  explicit ThreadPool(int threads);  // >= 1, the caller's thread included
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return static_cast<int>(workers_.size()) + 1; }

  // Calls body(item), or body(item, worker), for 0 <= item < count, each once; returns when all are done.
  // 0 <= worker < threads() numbers the thread, for scratch memory of its own. body must not throw.
  template <class Body>
  void run(int64_t count, const Body& body) {
    run_erased(count, &body, [](const void* context, int64_t item, [[maybe_unused]] int worker) {
      if constexpr (std::is_invocable_v<Body, int64_t, int>)
        (*static_cast<const Body*>(context))(item, worker);
      else
        (*static_cast<const Body*>(context))(item);
    });
  }

 private:
  using Call = void (*)(const void* context, int64_t item, int worker);
  void run_erased(int64_t count, const void* context, Call call);
  void work(std::stop_token stop, int worker);
  void drain(int worker);
  bool wait_for_job(std::stop_token stop, uint64_t seen);

  std::atomic<uint64_t> job_{0};
  std::atomic<int64_t> next_{0};
  std::atomic<int> busy_{0};
  int64_t count_ = 0;
  const void* context_ = nullptr;
  Call call_ = nullptr;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::condition_variable_any done_;
  std::vector<std::jthread> workers_;
};

}  // namespace ramet
