// Pre-tokens: the pieces of a text inside which byte-pair merges may happen. They cover the text without gaps.
//
// The first alternative that matches at a position wins. With W = \p{L} for Qwen3-VL (and Qwen2, Eagle), W = \p{L} or
// \p{M} for Qwen3.5:
//
//   (?i:'s|'t|'re|'ve|'m|'ll|'d)     a contraction; U+017F (long s) counts as s
//   [^\r\n\p{L}\p{N}]?W+             a word, with one character of another kind before it
//   \p{N}                            one digit
//    ?[^\sW\p{N}]+[\r\n]*            a run of anything else, a blank before and line ends after it included
//   \s*[\r\n]+                       white space up to its last line end
//   \s+(?!\S)|\s+                    white space, less its last character when a word follows
//
// Written by hand instead of with a regex engine: engines disagree on \s and on the version of \p{L}.
// Source: spec qwen3-vl, section 5.2.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace ramet {

enum class PretokenPattern { qwen3_vl, qwen3_5 };

std::string_view regex(PretokenPattern pattern);  // as tokenizer.json writes it
std::optional<PretokenPattern> pattern_of_regex(std::string_view regex);

// Where the pre-token that starts at `begin` ends. `text` is valid UTF-8 and `begin` is below its size.
size_t pretoken_end(std::string_view text, size_t begin, PretokenPattern pattern);

}  // namespace ramet
