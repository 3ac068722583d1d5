#include "policy/text/formalize.h"

#include "base/assert.h"
#include "policy/text/unicode_classes.h"
#include "policy/text/utf8.h"

#include <unicode/bytestream.h>
#include <unicode/casemap.h>

namespace ramet {
namespace {

constexpr const char* kRootLocale = "";

std::string lower(std::string_view text) {
  std::string lowered;
  icu::StringByteSink<std::string> sink(&lowered, static_cast<int32_t>(text.size()));
  UErrorCode error = U_ZERO_ERROR;
  icu::CaseMap::utf8ToLower(kRootLocale, 0, icu::StringPiece(text.data(), static_cast<int32_t>(text.size())), sink,
                            nullptr, error);
  RAMET_ASSERT(U_SUCCESS(error), u_errorName(error));
  return lowered;
}

bool is_kept(char32_t c) {
  const CharClass kind = char_class(c);
  const bool python_only_space = c >= 0x1C && c <= 0x1F;
  return kind == CharClass::letter || kind == CharClass::number || kind == CharClass::space || c == '_' ||
         python_only_space;
}

}  // namespace

Result<std::string> formalize_language(std::string_view instruction) {
  RAMET_TRY_STATUS(check_utf8(instruction, "instruction"));
  const std::string lowered = lower(instruction);
  std::string kept;
  for (size_t i = 0; i < lowered.size();) {
    const CodePoint c = code_point_at(lowered, i);
    if (is_kept(c.value)) kept.append(lowered, i, c.bytes);
    i += c.bytes;
  }
  return kept;
}

}  // namespace ramet
