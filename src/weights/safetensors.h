// Files of named tensors in the safetensors format, mapped read-only.
//
//   file = u64 n (little endian) | n bytes of JSON | data
//   JSON = {"NAME": {"dtype": "BF16", "shape": [32, 64], "data_offsets": [begin, end]}, ..., "__metadata__": {...}}
//
// Offsets count from the first byte after the JSON. Opening checks every value of the header and reads nothing else:
// sizes agree with shapes, tensors lie end to end from the first to the last byte of the data, names are unique.
// Element types that Ramet cannot compute with (F8, U32, ...) are listed; only asking for such a view is an error.
// The same holds for a tensor whose address is no multiple of its element size (files of 2022 may hold some).
//
// Errors: not_found, no_resource, invalid_file, unsupported (over six dimensions), unsupported_dtype.
// Source: spec streaming, section 2.8.
#pragma once

#include "base/mapped_file.h"
#include "tensor/view.h"

#include <ramet/error.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ramet {

inline constexpr uint64_t kMaxSafetensorsHeader = 100'000'000;  // bytes; the limit of the original library

struct SafetensorsEntry {
  std::string name;
  std::string dtype_name;      // as in the file: "BF16", "F8_E4M3"
  std::optional<DType> dtype;  // empty for types Ramet cannot compute with
  Shape shape;
  uint64_t offset = 0;               // of the first byte, from the start of the file
  std::span<const std::byte> bytes;  // lives as long as the file
};

class SafetensorsFile {
 public:
  static Result<SafetensorsFile> open(const std::filesystem::path& path);
  // A file image in memory, which must outlive the result. `name` stands for the file in errors.
  static Result<SafetensorsFile> parse(std::span<const std::byte> image, std::string name);

  const std::string& name() const { return name_; }
  std::span<const SafetensorsEntry> entries() const { return entries_; }  // sorted by name
  const SafetensorsEntry* find(std::string_view tensor) const;            // nullptr when there is none

  Result<ConstView> view(std::string_view tensor) const;  // an unknown name lists the nearest ones
  Result<ConstView> view(const SafetensorsEntry& entry) const;

 private:
  std::string name_;
  MappedFile file_;
  std::vector<SafetensorsEntry> entries_;
};

}  // namespace ramet
