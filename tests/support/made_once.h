// Folders that tests make once and share: ctest runs each test as a process of its own.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace ramet::test {

// A folder beside the test programs, BUILD/tests/data; `make clean` removes it.
inline std::filesystem::path data_dir() {
  const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "data";
  std::filesystem::create_directories(folder);
  return folder;
}

// The folder `name` of data_dir(). The first process makes it with `make(path)`, which leaves a whole folder or none;
// the others wait for it.
template <class Make>
std::filesystem::path made_once(const std::string& name, const Make& make) {
  const std::filesystem::path folder = data_dir() / name;
  const int lock = ::open((folder.string() + ".lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644);
  EXPECT_GE(lock, 0) << folder;
  EXPECT_EQ(::flock(lock, LOCK_EX), 0) << folder;
  if (!std::filesystem::exists(folder)) make(folder);
  ::close(lock);
  return folder;
}

}  // namespace ramet::test
