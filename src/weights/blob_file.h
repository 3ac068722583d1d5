// A cache file of named byte strings, made in place and mapped at the next start.
//
// It is a safetensors file of U8 tensors: the blobs; "identity", a text that says what they were made from; and
// "checksums", one XXH3 of 64 bits for each blob, by name. Blobs begin at multiples of 64 bytes and are as long.
// It appears under its name only when everything is in it; two programs that make it at once do not meet.
//
// Errors of open: those of SafetensorsFile, invalid_file (no such file as described), invalid_value (other identity).
// Errors of verify: invalid_file (damaged).
#pragma once

#include "base/pages.h"
#include "base/thread_pool.h"
#include "weights/safetensors.h"

#include <ramet/error.h>

#include <string>
#include <string_view>
#include <vector>

namespace ramet {

struct BlobSpec {
  std::string name;  // not "identity", not "checksums"
  int64_t bytes = 0;
};

class BlobFile {
 public:
  static Result<BlobFile> open(const std::filesystem::path& path, std::string_view identity);
  Status verify(ThreadPool& pool) const;
  std::span<const std::byte> find(std::string_view name) const;  // empty when there is none

 private:
  explicit BlobFile(SafetensorsFile file) : file_(std::move(file)) {}
  SafetensorsFile file_;
};

class BlobFileWriter {
 public:
  static Result<BlobFileWriter> create(const std::filesystem::path& path, std::string_view identity,
                                       std::vector<BlobSpec> specs);
  std::byte* blob(size_t index) { return pages_.bytes().data() + offsets_[index]; }  // in the order of the specs
  Status commit(ThreadPool& pool);  // the file appears; the memory stays as long as this

 private:
  BlobFileWriter() = default;
  Pages pages_;
  std::vector<BlobSpec> specs_;
  std::vector<size_t> offsets_;
  size_t checksums_ = 0;  // where they stand
};

}  // namespace ramet
