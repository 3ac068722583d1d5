#include "base/thread_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <numeric>

#include "support/allocations.h"
#include "support/assertions.h"

namespace ramet {
namespace {

class ThreadPools : public testing::TestWithParam<int> {
 protected:
  ThreadPool pool_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Sizes, ThreadPools, testing::Values(1, 2, 3, 8));

// Counts are plain: an item computed twice at a time would be a race, which ThreadSanitizer reports.
TEST_P(ThreadPools, ComputeEachItemOnce) {
  for (const int64_t count : {0, 1, 2, 7, 1000}) {
    std::vector<int> calls(static_cast<size_t>(count), 0);
    pool_.run(count, [&](int64_t item) { ++calls[static_cast<size_t>(item)]; });
    EXPECT_EQ(std::count(calls.begin(), calls.end(), 1), count);
  }
}

TEST_P(ThreadPools, GiveEachWorkerItsNumber) {
  constexpr int64_t kItems = 1000;
  std::vector<int64_t> items_of(static_cast<size_t>(pool_.threads()), 0);  // by worker, as scratch memory would be
  std::vector<int> worker_of(kItems, -1);
  pool_.run(kItems, [&](int64_t item, int worker) {
    worker_of[static_cast<size_t>(item)] = worker;
    if (worker >= 0 && worker < pool_.threads()) ++items_of[static_cast<size_t>(worker)];
  });
  EXPECT_EQ(std::accumulate(items_of.begin(), items_of.end(), int64_t{0}), kItems);
  EXPECT_GE(*std::min_element(worker_of.begin(), worker_of.end()), 0);
}

TEST_P(ThreadPools, RunThousandsOfLoops) {
  constexpr int64_t kLoops = 3000;
  constexpr int64_t kItems = 17;
  std::vector<int64_t> values(kItems, 0);
  int64_t next = 0;  // written between loops, read by every item
  for (int64_t loop = 0; loop < kLoops; ++loop) {
    next = loop;
    pool_.run(kItems, [&](int64_t item) { values[static_cast<size_t>(item)] += next; });
    ASSERT_EQ(values[static_cast<size_t>(loop % kItems)], loop * (loop + 1) / 2);
  }
  EXPECT_EQ(values, std::vector<int64_t>(kItems, kLoops * (kLoops - 1) / 2));
}

TEST_P(ThreadPools, WakeFromSleep) {
  for (int loop = 0; loop < 3; ++loop) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // far longer than workers spin
    std::atomic<int64_t> sum{0};
    pool_.run(100, [&](int64_t item) { sum += item; });
    EXPECT_EQ(sum, 4950);
  }
}

TEST_P(ThreadPools, AllocateNothingInALoop) {
  std::vector<double> values(100, 1.0);
  const int64_t before = test::allocations();
  for (int loop = 0; loop < 100; ++loop)
    pool_.run(100, [&](int64_t item) { values[static_cast<size_t>(item)] *= 1.5; });
  EXPECT_EQ(test::allocations(), before);
}

TEST(ThreadPool, MayEndUnused) {
  for (int i = 0; i < 50; ++i) {
    const ThreadPool pool(4);
    EXPECT_EQ(pool.threads(), 4);
  }
}

TEST(ThreadPool, NeedsAThread) { EXPECT_REFUSED(ThreadPool(0)); }

}  // namespace
}  // namespace ramet
