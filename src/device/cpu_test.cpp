#include "device/cpu.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <fstream>
#include <thread>
#include <vector>

#include "support/scratch_folder.h"

namespace ramet {
namespace {

class Topology {
 public:
  void add(int cpu, const std::string& siblings) {
    const auto folder = folder_ / ("cpu" + std::to_string(cpu)) / "topology";
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "thread_siblings_list") << siblings << "\n";
  }
  int cores(std::vector<int> cpus) const { return count_cores(cpus, folder_.path()); }

 private:
  test::ScratchFolder folder_;
};

TEST(Cpu, HardwareThreadsOfACoreCountOnce) {
  Topology topology;
  for (const int cpu : {0, 4}) topology.add(cpu, "0,4");
  for (const int cpu : {1, 5}) topology.add(cpu, "1,5");
  for (const int cpu : {2, 3}) topology.add(cpu, "2-3");
  EXPECT_EQ(topology.cores({0, 1, 2, 3, 4, 5}), 3);
  EXPECT_EQ(topology.cores({0, 4}), 1);
  EXPECT_EQ(topology.cores({4, 5}), 2);  // what the process may use, not what the machine has
}

TEST(Cpu, WithoutTopologyEachProcessorIsACore) {
  Topology topology;
  EXPECT_EQ(topology.cores({0, 1, 2}), 3);
  EXPECT_EQ(topology.cores({}), 0);
}

TEST(Cpu, TheTightestControlGroupCounts) {
  const test::ScratchFolder mount;
  std::filesystem::create_directories(mount / "pod/box");
  EXPECT_EQ(cpu_quota(mount.path(), "/pod/box"), std::nullopt);
  std::ofstream(mount / "pod/cpu.max") << "max 100000\n";
  EXPECT_EQ(cpu_quota(mount.path(), "/pod/box"), std::nullopt);
  std::ofstream(mount / "pod/box/cpu.max") << "350000 100000\n";
  EXPECT_EQ(cpu_quota(mount.path(), "/pod/box"), 4);
  EXPECT_EQ(cpu_quota(mount.path(), "/pod"), std::nullopt);
  std::ofstream(mount / "pod/cpu.max") << "50000 100000\n";
  EXPECT_EQ(cpu_quota(mount.path(), "/pod/box"), 1);
  std::ofstream(mount / "cpu.max") << "0 100000\n";  // nothing that the kernel writes
  EXPECT_EQ(cpu_quota(mount.path(), "/"), std::nullopt);
}

TEST(Cpu, CoresAreAmongTheProcessors) {
  const int cores = physical_cores();
  EXPECT_GE(cores, 1);
  EXPECT_LE(cores, static_cast<int>(std::thread::hardware_concurrency()));
}

TEST(Cpu, CoresFollowTheAffinity) {
  std::thread([] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(::sched_getcpu(), &one);
    if (::sched_setaffinity(0, sizeof(one), &one) != 0) GTEST_SKIP() << "affinity cannot be set here";
    EXPECT_EQ(physical_cores(), 1);
  }).join();
}

}  // namespace
}  // namespace ramet
