// Files that appear whole or not at all: written beside their name, then renamed.
#pragma once

#include <ramet/error.h>

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace ramet {

class AtomicFile {
 public:
  static Result<AtomicFile> create(const std::filesystem::path& path);
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&& other) noexcept;
  ~AtomicFile();  // removes the temporary file unless committed

  Status write(std::span<const std::byte> bytes);
  Status write(std::string_view text);
  Status commit();                                                            // close, rename
  const std::filesystem::path& temporary_path() const { return temporary_; }  // for libraries that write by name

 private:
  AtomicFile(std::filesystem::path path, std::filesystem::path temporary, int fd);
  std::filesystem::path path_, temporary_;
  int fd_ = -1;
};

Status write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace ramet
