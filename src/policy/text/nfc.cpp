#include "policy/text/nfc.h"

#include "base/assert.h"
#include "policy/text/utf8.h"

#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/utf16.h>

#include <algorithm>
#include <array>
#include <vector>

namespace ramet {
namespace {

constexpr uint8_t kUnicodeVersion = 9;
constexpr int32_t kLongestDecomposition = 8;  // UTF-16 units; no canonical one is longer than four code points

struct Character {
  UChar32 value;
  uint8_t combining_class;
  bool known;  // in Unicode 9
};

const UNormalizer2& nfc_tables() {
  UErrorCode error = U_ZERO_ERROR;
  const UNormalizer2* tables = unorm2_getNFCInstance(&error);
  RAMET_ASSERT(U_SUCCESS(error), u_errorName(error));
  return *tables;
}

bool is_known(UChar32 c) {
  UVersionInfo version;
  u_charAge(c, version);
  return version[0] != 0 && version[0] <= kUnicodeVersion;
}

void append_decomposed(const UNormalizer2& nfc, UChar32 c, std::vector<Character>& out) {
  if (!is_known(c)) {
    out.push_back({c, 0, false});
    return;
  }
  std::array<UChar, kLongestDecomposition> units;
  UErrorCode error = U_ZERO_ERROR;
  const int32_t length = unorm2_getDecomposition(&nfc, c, units.data(), kLongestDecomposition, &error);
  RAMET_ASSERT(U_SUCCESS(error), u_errorName(error), static_cast<uint32_t>(c));
  if (length < 0) out.push_back({c, unorm2_getCombiningClass(&nfc, c), true});
  for (int32_t i = 0; i < length;) {
    UChar32 part = 0;
    U16_NEXT(units.data(), i, length, part);
    out.push_back({part, unorm2_getCombiningClass(&nfc, part), true});
  }
}

std::vector<Character> decompose(const UNormalizer2& nfc, std::string_view text) {
  std::vector<Character> characters;
  characters.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const CodePoint c = code_point_at(text, i);
    append_decomposed(nfc, static_cast<UChar32>(c.value), characters);
    i += c.bytes;
  }
  return characters;
}

// Canonical order: marks between two starters (class 0) by ascending class, equal ones as they stood.
void order_marks(std::vector<Character>& characters) {
  const auto is_starter = [](const Character& c) { return c.combining_class == 0; };
  const auto by_class = [](const Character& a, const Character& b) { return a.combining_class < b.combining_class; };
  for (auto begin = characters.begin(); begin != characters.end();) {
    const auto end = std::find_if(begin, characters.end(), is_starter);
    std::stable_sort(begin, end, by_class);
    begin = end == characters.end() ? end : end + 1;
  }
}

// Joins a character to the last starter unless something of its class or a higher one stands between them.
void compose(const UNormalizer2& nfc, std::vector<Character>& characters) {
  constexpr size_t kNone = static_cast<size_t>(-1);
  size_t starter = kNone;
  size_t size = 0;
  for (const Character c : characters) {
    const bool adjacent = starter != kNone && starter + 1 == size;
    const bool reaches = starter != kNone && c.known && characters[starter].known &&
                         (adjacent || characters[size - 1].combining_class < c.combining_class);
    const UChar32 joined = reaches ? unorm2_composePair(&nfc, characters[starter].value, c.value) : -1;
    if (joined >= 0) {
      characters[starter].value = joined;
      continue;
    }
    if (c.combining_class == 0) starter = size;
    characters[size++] = c;
  }
  characters.resize(size);
}

}  // namespace

std::string normalize_nfc(std::string_view text) {
  if (is_ascii(text)) return std::string(text);
  const UNormalizer2& nfc = nfc_tables();
  std::vector<Character> characters = decompose(nfc, text);
  order_marks(characters);
  compose(nfc, characters);
  std::string composed;
  composed.reserve(text.size());
  for (const Character& c : characters) append_utf8(static_cast<char32_t>(c.value), composed);
  return composed;
}

}  // namespace ramet
