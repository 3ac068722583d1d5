// formalize_language: what GR00T N1.6 and N1.7 do to an instruction before the tokenizer sees it; N1.5 in LeRobot's
// layout, where it is asked to, drops '_' too.
//
//   delete from lower(text) whatever is neither \w nor \s          nothing is inserted, blanks are not collapsed
//
// lower: Python's str.lower(), the full mapping of Unicode in no particular language (a final capital sigma becomes
// U+03C2, U+0130 becomes i and U+0307). \w: letters and numbers of every kind and '_', no combining marks.
// \s: Python's str.isspace(), which has U+001C..1F. Letters and numbers are those of Unicode 16; the reference follows
// its Python, so characters assigned after Python's tables (3.10: Unicode 13) are kept here and deleted there.
// Errors: invalid_value when the text is not UTF-8.
// Source: spec gr00t-n1.7, section 3.4.
#pragma once

#include <ramet/error.h>

#include <string>
#include <string_view>

namespace ramet {

Result<std::string> formalize_language(std::string_view instruction);

}  // namespace ramet
