// UTF-8, strictly: no surrogates, no overlong forms, nothing above U+10FFFF.
#pragma once

#include <ramet/error.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace ramet {

// What one call takes; also keeps every length within the 32 bits of ICU.
inline constexpr size_t kMaxTextBytes = size_t{128} << 20;

struct CodePoint {
  char32_t value;
  size_t bytes;
};

// The character at `begin`. `text` is valid and `begin` is the first byte of a character.
CodePoint code_point_at(std::string_view text, size_t begin);

void append_utf8(char32_t value, std::string& text);

// Errors: invalid_value when `text` is longer than kMaxTextBytes or not UTF-8; the byte offset is named.
Status check_utf8(std::string_view text, const std::string& where);

// Each maximal ill-formed part becomes one U+FFFD, as in Python's decode("utf-8", "replace").
std::string replace_ill_formed(std::string_view bytes);

bool is_ascii(std::string_view text);

}  // namespace ramet
