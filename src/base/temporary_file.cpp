#include "base/temporary_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace ramet {

int create_beside(const std::filesystem::path& path, int access, std::filesystem::path& temporary) {
  for (int attempt = 0;; ++attempt) {
    temporary = fmt::format("{}.tmp-{}-{}{}", path.string(), ::getpid(), attempt, path.extension().string());
    const int fd = ::open(temporary.c_str(), access | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
}

tl::unexpected<Error> cannot_write(const std::filesystem::path& path, std::string what, int error) {
  return fail(Code::no_resource, path.string(), std::move(what), std::generic_category().message(error),
              "check the folder, its permissions and the free space");
}

}  // namespace ramet
