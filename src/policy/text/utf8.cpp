#include "policy/text/utf8.h"

#include <fmt/format.h>
#include <unicode/unistr.h>
#include <unicode/utf8.h>

#include <algorithm>

namespace ramet {

CodePoint code_point_at(std::string_view text, size_t begin) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  size_t end = begin;
  UChar32 value = 0;
  U8_NEXT_UNSAFE(bytes, end, value);
  return {static_cast<char32_t>(value), end - begin};
}

void append_utf8(char32_t value, std::string& text) {
  uint8_t bytes[U8_MAX_LENGTH];
  size_t length = 0;
  U8_APPEND_UNSAFE(bytes, length, static_cast<uint32_t>(value));
  text.append(reinterpret_cast<const char*>(bytes), length);
}

Status check_utf8(std::string_view text, const std::string& where) {
  if (text.size() > kMaxTextBytes)
    return fail(Code::invalid_value, where, fmt::format("at most {} bytes of text", kMaxTextBytes),
                fmt::format("{} bytes", text.size()));
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  const auto length = static_cast<int32_t>(text.size());
  for (int32_t i = 0; i < length;) {
    const int32_t begin = i;
    UChar32 value = 0;
    U8_NEXT(bytes, i, length, value);
    if (value < 0)
      return fail(Code::invalid_value, where, "text in UTF-8",
                  fmt::format("byte {:#04x} at offset {}", bytes[begin], begin));
  }
  return {};
}

std::string replace_ill_formed(std::string_view bytes) {
  const icu::StringPiece piece(bytes.data(), static_cast<int32_t>(bytes.size()));
  std::string text;
  icu::UnicodeString::fromUTF8(piece).toUTF8String(text);
  return text;
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

}  // namespace ramet
