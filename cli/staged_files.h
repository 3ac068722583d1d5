// Result files of one run: all of them are written under temporary names, then all appear.
#pragma once

#include "base/atomic_file.h"
#include "weights/safetensors_writer.h"

#include <ramet/error.h>
#include <ramet/types.h>

#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

namespace ramet::cli {

// A named array of a result file; the numbers stay the caller's.
struct NamedArray {
  std::string name;
  std::vector<int64_t> shape;
  std::span<const float> floats = {};  // one of the two
  std::span<const int64_t> integers = {};
  bool is_integer = false;
};

NamedArray named_array(std::string name, const FloatArray& array);
NamedArray named_array(const Tap& tap);

class StagedFiles {
 public:
  Status add_text(const std::filesystem::path& path, std::string_view bytes);
  Status add_safetensors(const std::filesystem::path& path, std::span<const NamedArray> arrays);
  Status add_npz(const std::filesystem::path& path, std::span<const NamedArray> arrays);
  Status commit();

 private:
  std::vector<AtomicFile> files_;
  std::vector<SafetensorsWriter> safetensors_;
};

// Before long work: the folder of a result file exists and takes files. Errors: no_resource.
Status check_writable(const std::filesystem::path& path);

}  // namespace ramet::cli
