// A file mapped read-only. The bytes live as long as the MappedFile; moving it keeps their address.
#pragma once

#include <ramet/error.h>

#include <cstddef>
#include <filesystem>
#include <span>

namespace ramet {

class MappedFile {
 public:
  static Result<MappedFile> open(const std::filesystem::path& path);  // regular files only; empty ones are fine
  MappedFile() = default;
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  const std::byte* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace ramet
