// Scratch folders and small checkpoints for the tests of this layer.
#pragma once

#include "weights/safetensors_writer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "support/assertions.h"
#include "support/scratch_folder.h"

namespace ramet::test {

// Writes zeros.
inline void write_tensors(const std::filesystem::path& path, const std::vector<TensorSpec>& specs) {
  auto writer = SafetensorsWriter::create(path, specs);
  ASSERT_OK(writer);
  for (const TensorSpec& spec : specs) ASSERT_OK(writer->write(std::vector<std::byte>(spec.bytes())));
  ASSERT_OK(writer->finish());
}

}  // namespace ramet::test
