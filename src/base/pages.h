// Memory in pages straight from the system, for what is too large to be cleared and copied.
//
// anonymous: zeros, in huge pages where the system gives them. new_file: the contents of a file that appears under its
// name, whole, on commit, and never before; its space on the disk is reserved first, so that writing to the memory
// cannot fail. The memory stays after commit. Errors: no_memory, no_resource.
#pragma once

#include <ramet/error.h>

#include <cstddef>
#include <filesystem>
#include <span>
#include <stop_token>

namespace ramet {

class Pages {
 public:
  static Result<Pages> anonymous(size_t bytes);
  static Result<Pages> new_file(const std::filesystem::path& path, size_t bytes);
  Pages() = default;
  Pages(Pages&& other) noexcept;
  Pages& operator=(Pages&& other) noexcept;
  ~Pages();

  std::span<std::byte> bytes() { return {data_, size_}; }
  Status commit();  // of a new file: gives it its name

 private:
  std::byte* data_ = nullptr;
  size_t size_ = 0;
  std::filesystem::path path_, temporary_;  // empty: no file, or one that has its name
};

// Replaces memory of a mapped file that nobody writes to by a copy in huge pages, in place: who reads it meanwhile sees
// the same bytes. What is no whole huge page stays, and all that was not reached when `stop` is asked for or memory is
// short. The copy is the process's own.
void move_to_huge_pages(std::span<const std::byte> bytes, const std::stop_token& stop);

// The bytes will not be read again soon: gives back the memory of those whole pages of a mapped file that lie inside.
void release_pages(std::span<const std::byte> bytes);

}  // namespace ramet
