// Unicode normalisation form C as of Unicode 9, the tables of the reference's tokenizer.
//
// Characters assigned later are left as they are and act as boundaries: marks are not moved across them and nothing
// composes with them; every character that Unicode 9 knows is treated as in all later versions. The time is
// n log n also for long runs of combining marks, which the libraries' insertion sort makes quadratic.
// Source: spec qwen3-vl, section 5.2.
#pragma once

#include <string>
#include <string_view>

namespace ramet {

std::string normalize_nfc(std::string_view text);  // `text` is valid UTF-8, at most kMaxTextBytes

}  // namespace ramet
