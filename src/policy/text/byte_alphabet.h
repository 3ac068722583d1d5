// The printable alphabet in which vocab.json and merges.txt write bytes (GPT-2's).
//
// Bytes 33..126, 161..172 and 174..255 are written as the characters of these numbers; the other 68, in ascending
// order, as U+0100..U+0143. So a blank is U+0120 and a line feed U+010A.
// Source: spec qwen3-vl, section 5.2.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ramet {

char32_t letter_of_byte(uint8_t byte);

// The bytes that `text` (valid UTF-8) spells; nothing when a character is not in the alphabet.
std::optional<std::string> bytes_of_letters(std::string_view text);

}  // namespace ramet
