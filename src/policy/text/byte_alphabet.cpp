#include "policy/text/byte_alphabet.h"

#include "policy/text/utf8.h"

#include <array>

namespace ramet {
namespace {

constexpr size_t kLetters = 0x144;
constexpr char32_t kFirstSubstitute = 0x100;

constexpr bool is_own_letter(unsigned byte) {
  return (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || (byte >= 174 && byte <= 255);
}

constexpr std::array<char32_t, 256> kLetterOfByte = [] {
  std::array<char32_t, 256> letters{};
  char32_t substitute = kFirstSubstitute;
  for (unsigned byte = 0; byte < 256; ++byte) letters[byte] = is_own_letter(byte) ? byte : substitute++;
  return letters;
}();

constexpr std::array<int16_t, kLetters> kByteOfLetter = [] {
  std::array<int16_t, kLetters> bytes{};
  bytes.fill(-1);
  for (int16_t byte = 0; byte < 256; ++byte) bytes[kLetterOfByte[static_cast<size_t>(byte)]] = byte;
  return bytes;
}();

}  // namespace

char32_t letter_of_byte(uint8_t byte) { return kLetterOfByte[byte]; }

std::optional<std::string> bytes_of_letters(std::string_view text) {
  std::string bytes;
  for (size_t i = 0; i < text.size();) {
    const CodePoint c = code_point_at(text, i);
    if (c.value >= kLetters || kByteOfLetter[c.value] < 0) return std::nullopt;
    bytes.push_back(static_cast<char>(kByteOfLetter[c.value]));
    i += c.bytes;
  }
  return bytes;
}

}  // namespace ramet
