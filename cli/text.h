// Text for people: one line, valid UTF-8, sizes and times with units.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ramet::cli {

// Control characters and bytes that are no UTF-8 become \xNN; what is longer than `limit` bytes is cut with "…".
std::string printable(std::string_view text, size_t limit = 2000);

std::string human_bytes(double bytes);      // "6.4 GB", powers of 1000
std::string human_seconds(double seconds);  // "12 s", "3 min 20 s"

}  // namespace ramet::cli
