#include "device/memory.h"

#include <gtest/gtest.h>

#include <fstream>

#include "support/scratch_folder.h"

namespace ramet {
namespace {

void write(const std::filesystem::path& path, const std::string& text) { std::ofstream(path) << text; }

TEST(Memory, OfTheSystem) {
  const test::ScratchFolder folder;
  EXPECT_EQ(system_memory(folder / "meminfo"), std::nullopt);
  write(folder / "meminfo", "MemTotal:       100 kB\nMemFree:   7 kB\nMemAvailable:    42 kB\nBuffers: 1 kB\n");
  EXPECT_EQ(system_memory(folder / "meminfo"), 42 * 1024);
}

TEST(Memory, TheTightestControlGroupCounts) {
  const test::ScratchFolder mount;
  std::filesystem::create_directories(mount / "pod/box");
  EXPECT_EQ(group_memory(mount.path(), "/pod/box"), std::nullopt);
  write(mount / "pod/memory.max", "max\n");
  write(mount / "pod/memory.current", "70\n");
  EXPECT_EQ(group_memory(mount.path(), "/pod/box"), std::nullopt);
  write(mount / "pod/box/memory.max", "1000\n");
  write(mount / "pod/box/memory.current", "900\n");
  EXPECT_EQ(group_memory(mount.path(), "/pod/box"), 100);
  write(mount / "pod/box/memory.stat", "anon 5\nfile 400\ninactive_file 30\nactive_file 200\n");
  EXPECT_EQ(group_memory(mount.path(), "/pod/box"), 330);
  write(mount / "pod/memory.max", "60\n");
  EXPECT_EQ(group_memory(mount.path(), "/pod/box"), 0);
}

TEST(Memory, ThereIsSome) { EXPECT_GT(available_memory(), 0); }

}  // namespace
}  // namespace ramet
