// Writing safetensors files: whole or not at all, in one go or tensor by tensor.
//
// Data starts at a multiple of 64 bytes. The metadata says {"format": "pt"}, without which transformers refuses a file.
// Errors: invalid_value (a name twice, not UTF-8, or "__metadata__"), no_resource (disk full, permission).
#pragma once

#include "base/atomic_file.h"
#include "tensor/view.h"

#include <ramet/error.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ramet {

// What is known of a tensor before its values.
struct TensorSpec {
  std::string name;
  DType dtype = DType::f32;
  Shape shape;

  uint64_t bytes() const { return static_cast<uint64_t>(shape.elements() * size_bytes(dtype)); }
  friend bool operator==(const TensorSpec&, const TensorSpec&) = default;
};

struct NamedView {
  std::string_view name;
  ConstView view;  // dense
};

Status write_safetensors(const std::filesystem::path& path, std::span<const NamedView> tensors);

// The data of all tensors, one after the other in the order of the specs, in pieces of any size:
//
//   RAMET_TRY(auto writer, SafetensorsWriter::create(path, specs));
//   RAMET_TRY_STATUS(writer.write(bytes));  // until all is written
//   RAMET_TRY_STATUS(writer.finish());      // the file appears
class SafetensorsWriter {
 public:
  static Result<SafetensorsWriter> create(const std::filesystem::path& path, std::span<const TensorSpec> specs);
  Status write(std::span<const std::byte> bytes);
  Status finish();  // asserts that every byte of the specs was written

 private:
  SafetensorsWriter(AtomicFile file, uint64_t remaining) : file_(std::move(file)), remaining_(remaining) {}
  AtomicFile file_;
  uint64_t remaining_;
};

}  // namespace ramet
