#include "base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace ramet {
namespace {

tl::unexpected<Error> system_failure(const std::filesystem::path& path, int error) {
  const Code code = error == ENOENT ? Code::not_found : Code::no_resource;
  return fail(code, path.string(), "a readable file", std::generic_category().message(error));
}

}  // namespace

Result<MappedFile> MappedFile::open(const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return system_failure(path, errno);
  struct stat info {};
  if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    ::close(fd);
    return fail(Code::invalid_file, path.string(), "a regular file", "something else");
  }
  MappedFile file;
  file.size_ = static_cast<size_t>(info.st_size);
  void* memory = file.size_ == 0 ? nullptr : ::mmap(nullptr, file.size_, PROT_READ, MAP_PRIVATE, fd, 0);
  const int error = errno;
  ::close(fd);
  if (memory == MAP_FAILED) {
    file.size_ = 0;
    return system_failure(path, error);
  }
  file.data_ = static_cast<const std::byte*>(memory);
  return file;
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

}  // namespace ramet
