// Whether something stands under a name, be it a folder, a pipe or a link to nowhere: opening it tells what is wrong,
// while a file that may be absent is absent only when its name is.
#pragma once

#include <filesystem>
#include <system_error>

namespace ramet {

inline bool is_there(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::symlink_status(path, ignored).type() != std::filesystem::file_type::not_found;
}

}  // namespace ramet
