// The five classes of characters that the Qwen pre-tokeniser tells apart: \p{L}, \p{M}, \p{N}, \s and the rest.
//
// Unicode 16, whatever the Unicode of the machine's libraries, so that ids never depend on them. White space is that
// of the reference's regex engine: U+0009..D, 20, 85, A0, 1680, 2000..200A, 2028, 2029, 202F, 205F, 3000; unlike
// Python's it lacks U+001C..1F.
// Source: goldens/qwen_tokenizer/classes.json by tools/make_unicode_classes.py; spec qwen3-vl, section 5.2.
#pragma once

#include <cstdint>

namespace ramet {

enum class CharClass : uint8_t { other = 0, letter = 1, mark = 2, number = 3, space = 4 };

CharClass char_class(char32_t c);

}  // namespace ramet
