// What files that appear whole or not at all have in common: a name beside their own until they are finished.
#pragma once

#include <ramet/error.h>

#include <filesystem>
#include <string>

namespace ramet {

// Opens a new file for writing (`access`: O_WRONLY or O_RDWR) beside `path`, under a name that no other has; -1 and
// errno where that fails. Not mkstemp: its permissions ignore the umask.
int create_beside(const std::filesystem::path& path, int access, std::filesystem::path& temporary);

// no_resource: "PATH: expected WHAT, found the system's words for `error`".
tl::unexpected<Error> cannot_write(const std::filesystem::path& path, std::string what, int error);

}  // namespace ramet
