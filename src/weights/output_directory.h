// A directory that appears whole or not at all: filled beside its name, then renamed.
//
// An existing directory is refused unless it is empty, or `replace` is given: then the new files take their places in
// it, the weights that were there (*.safetensors and their index) go, and other files stay.
// Errors: usage (there is something), no_resource (disk full, permission).
#pragma once

#include <ramet/error.h>

#include <filesystem>

namespace ramet {

enum class Existing { refuse, replace };

class OutputDirectory {
 public:
  static Result<OutputDirectory> create(const std::filesystem::path& path, Existing existing);
  OutputDirectory(OutputDirectory&& other) noexcept;
  OutputDirectory& operator=(OutputDirectory&& other) noexcept;
  ~OutputDirectory();  // removes what was written unless committed

  const std::filesystem::path& path() const { return temporary_; }  // where to write
  Status commit();

 private:
  OutputDirectory(std::filesystem::path path, std::filesystem::path temporary);
  std::filesystem::path path_, temporary_;
};

}  // namespace ramet
