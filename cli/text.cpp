#include "text.h"

#include <fmt/format.h>
#include <unicode/utf8.h>

#include <array>
#include <cmath>

namespace ramet::cli {
namespace {

constexpr UChar32 kLineSeparator = 0x2028;
constexpr UChar32 kParagraphSeparator = 0x2029;

bool breaks_a_line(UChar32 c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == kLineSeparator || c == kParagraphSeparator;
}

std::string escaped(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) text += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
  return text;
}

}  // namespace

std::string printable(std::string_view text, size_t limit) {
  std::string line;
  const auto* const units = reinterpret_cast<const uint8_t*>(text.data());
  const auto length = static_cast<int64_t>(text.size());
  for (int64_t at = 0; at < length;) {
    if (line.size() >= limit) return line + "…";
    const int64_t start = at;
    UChar32 c = 0;
    U8_NEXT(units, at, length, c);
    const std::string_view bytes = text.substr(static_cast<size_t>(start), static_cast<size_t>(at - start));
    line += c < 0 || breaks_a_line(c) ? escaped(bytes) : std::string(bytes);
  }
  return line;
}

std::string human_bytes(double bytes) {
  constexpr std::array kUnits{"B", "kB", "MB", "GB", "TB"};
  size_t unit = 0;
  while (bytes >= 999.5 && unit + 1 < kUnits.size()) {
    bytes /= 1000;
    ++unit;
  }
  return unit == 0 || bytes >= 99.95 ? fmt::format("{:.0f} {}", bytes, kUnits[unit])
                                     : fmt::format("{:.1f} {}", bytes, kUnits[unit]);
}

std::string human_seconds(double seconds) {
  const auto whole = static_cast<int64_t>(std::ceil(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  return fmt::format("{} min {} s", whole / 60, whole % 60);
}

}  // namespace ramet::cli
