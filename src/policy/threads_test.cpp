#include "policy/threads.h"

#include "device/cpu.h"

#include <gtest/gtest.h>

namespace ramet {
namespace {

TEST(Threads, AsAskedOrOneForEachCore) {
  EXPECT_EQ(choose_threads(3), 3);
  EXPECT_EQ(choose_threads(1 << 20), 1024);
  EXPECT_EQ(choose_threads(0), physical_cores());
  EXPECT_EQ(choose_threads(-4), physical_cores());
}

}  // namespace
}  // namespace ramet
