#include "base/pages.h"

#include "base/temporary_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <system_error>
#include <utility>

namespace ramet {

Result<Pages> Pages::anonymous(size_t bytes) {
  Pages pages;
  if (bytes == 0) return pages;
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return fail(Code::no_memory, "memory", fmt::format("{} bytes", bytes), std::generic_category().message(errno));
  ::madvise(memory, bytes, MADV_HUGEPAGE);  // a wish: without it everything works
  pages.data_ = static_cast<std::byte*>(memory);
  pages.size_ = bytes;
  return pages;
}

Result<Pages> Pages::new_file(const std::filesystem::path& path, size_t bytes) {
  Pages pages;
  const int fd = create_beside(path, O_RDWR, pages.temporary_);
  if (fd < 0) {
    pages.temporary_.clear();
    return cannot_write(path, "a place to write a file", errno);
  }
  pages.path_ = path;
  if (const int error = ::posix_fallocate(fd, 0, static_cast<off_t>(bytes)); error != 0) {
    ::close(fd);
    return cannot_write(path, fmt::format("{} free bytes on the disk", bytes), error);
  }
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  const int error = errno;
  ::close(fd);
  if (memory == MAP_FAILED) return cannot_write(path, "a file that can be mapped", error);
  pages.data_ = static_cast<std::byte*>(memory);
  pages.size_ = bytes;
  return pages;
}

Pages::Pages(Pages&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      path_(std::exchange(other.path_, {})),
      temporary_(std::exchange(other.temporary_, {})) {}

Pages& Pages::operator=(Pages&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(path_, other.path_);
  std::swap(temporary_, other.temporary_);
  return *this;
}

Pages::~Pages() {
  if (data_ != nullptr) ::munmap(data_, size_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Status Pages::commit() {
  const std::filesystem::path temporary = std::exchange(temporary_, {});
  if (::rename(temporary.c_str(), path_.c_str()) == 0) return {};
  const int error = errno;
  ::unlink(temporary.c_str());
  return cannot_write(path_, "to rename the finished file", error);
}

void move_to_huge_pages(std::span<const std::byte> bytes, const std::stop_token& stop) {
  constexpr uintptr_t kHugePage = uintptr_t{2} << 20;
  const auto begin = (reinterpret_cast<uintptr_t>(bytes.data()) + kHugePage - 1) / kHugePage * kHugePage;
  const auto end = reinterpret_cast<uintptr_t>(bytes.data() + bytes.size()) / kHugePage * kHugePage;
  if (begin >= end) return;
  const size_t reserved = end - begin + kHugePage;
  void* memory = ::mmap(nullptr, reserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return;
  ::madvise(memory, reserved, MADV_HUGEPAGE);
  auto* copy =
      reinterpret_cast<std::byte*>((reinterpret_cast<uintptr_t>(memory) + kHugePage - 1) / kHugePage * kHugePage);
  for (uintptr_t at = begin; at < end && !stop.stop_requested(); at += kHugePage, copy += kHugePage) {
    void* piece = reinterpret_cast<void*>(at);
    std::memcpy(copy, piece, kHugePage);
    ::mprotect(copy, kHugePage, PROT_READ);
    if (::mremap(copy, kHugePage, kHugePage, MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP, piece) == MAP_FAILED)
      break;
  }
  ::munmap(memory, reserved);
}

void release_pages(std::span<const std::byte> bytes) {
  const auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = (reinterpret_cast<uintptr_t>(bytes.data()) + page - 1) / page * page;
  const auto end = reinterpret_cast<uintptr_t>(bytes.data() + bytes.size()) / page * page;
  if (begin < end) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

}  // namespace ramet
