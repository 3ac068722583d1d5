#include "base/atomic_file.h"

#include "base/temporary_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

namespace ramet {

AtomicFile::AtomicFile(std::filesystem::path path, std::filesystem::path temporary, int fd)
    : path_(std::move(path)), temporary_(std::move(temporary)), fd_(fd) {}

Result<AtomicFile> AtomicFile::create(const std::filesystem::path& path) {
  std::filesystem::path temporary;
  const int fd = create_beside(path, O_WRONLY, temporary);
  if (fd < 0) return cannot_write(path, "a place to write a file", errno);
  return AtomicFile(path, temporary, fd);
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)), temporary_(std::move(other.temporary_)), fd_(std::exchange(other.fd_, -1)) {}

AtomicFile& AtomicFile::operator=(AtomicFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(temporary_, other.temporary_);
  std::swap(fd_, other.fd_);
  return *this;
}

AtomicFile::~AtomicFile() {
  if (fd_ < 0) return;
  ::close(fd_);
  ::unlink(temporary_.c_str());
}

Status AtomicFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return cannot_write(path_, "to write the whole file", errno);
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return {};
}

Status AtomicFile::write(std::string_view text) { return write(std::as_bytes(std::span(text.data(), text.size()))); }

// The bytes reach the disk before the name does: after a loss of power the file is whole or not there.
Status AtomicFile::commit() {
  int error = ::fsync(fd_) == 0 ? 0 : errno;
  if (::close(std::exchange(fd_, -1)) != 0 && error == 0) error = errno;
  const bool is_closed = error == 0;
  if (is_closed && ::rename(temporary_.c_str(), path_.c_str()) == 0) return {};
  if (is_closed) error = errno;
  ::unlink(temporary_.c_str());
  return cannot_write(path_, is_closed ? "to rename the finished file" : "to write the whole file", error);
}

Status write_file(const std::filesystem::path& path, std::string_view text) {
  RAMET_TRY(AtomicFile file, AtomicFile::create(path));
  RAMET_TRY_STATUS(file.write(text));
  return file.commit();
}

}  // namespace ramet
