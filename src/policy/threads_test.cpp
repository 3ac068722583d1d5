#include "policy/threads.h"

#include "weights/testing.h"

#include <array>
#include <fstream>

namespace ramet {
namespace {

TEST(Threads, AsAskedOrAsTheMachineHas) {
  EXPECT_EQ(choose_threads(3), 3);
  EXPECT_EQ(choose_threads(1 << 20), 1024);
  EXPECT_GE(choose_threads(0), 1);
  EXPECT_EQ(choose_threads(-4), choose_threads(0));
}

TEST(Threads, SiblingsShareACore) {
  const test::ScratchFolder sysfs;
  const std::array siblings{"0,2", "1,3", "0,2", "1,3"};
  for (size_t cpu = 0; cpu < siblings.size(); ++cpu) {
    const auto topology = sysfs / fmt::format("cpu{}/topology", cpu);
    std::filesystem::create_directories(topology);
    std::ofstream(topology / "thread_siblings_list") << siblings[cpu] << "\n";
  }
  EXPECT_EQ(count_cores(std::array{0, 1, 2, 3}, sysfs.path()), 2);
  EXPECT_EQ(count_cores(std::array{0, 2}, sysfs.path()), 1);
  EXPECT_EQ(count_cores(std::array{1, 7, 8}, sysfs.path()), 3);  // 7 and 8 have no list
  EXPECT_EQ(count_cores({}, sysfs.path()), 0);
}

}  // namespace
}  // namespace ramet
