// Scratch folders and small checkpoints for the tests of this layer.
#pragma once

#include "weights/safetensors_writer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "support/assertions.h"

namespace ramet::test {

// A new folder, removed with everything in it.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "ramet_test_XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~ScratchFolder() { std::filesystem::remove_all(path_); }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::filesystem::path& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

// Writes zeros.
inline void write_tensors(const std::filesystem::path& path, const std::vector<TensorSpec>& specs) {
  auto writer = SafetensorsWriter::create(path, specs);
  ASSERT_OK(writer);
  for (const TensorSpec& spec : specs) ASSERT_OK(writer->write(std::vector<std::byte>(spec.bytes())));
  ASSERT_OK(writer->finish());
}

}  // namespace ramet::test
