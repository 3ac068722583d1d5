// How much memory the process may still take.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace ramet {

// Bytes that Linux calls available, and no more than the control groups of the process leave; pages of files count as
// free. The largest number where the system does not tell.
int64_t available_memory();

// MemAvailable of a file like /proc/meminfo, bytes.
std::optional<int64_t> system_memory(const std::filesystem::path& meminfo);

// The least that a group of `group` ("/a/b") under `mount` leaves: memory.max - memory.current, and the pages of files
// of its memory.stat. Empty where none has a limit.
std::optional<int64_t> group_memory(const std::filesystem::path& mount, const std::filesystem::path& group);

}  // namespace ramet
