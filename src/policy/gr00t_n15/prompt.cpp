#include "policy/gr00t_n15/prompt.h"

#include "policy/text/eagle_prompt.h"
#include "policy/text/utf8.h"

#include <fmt/format.h>
#include <unicode/uchar.h>

namespace ramet {
namespace {

constexpr uint32_t kNotPrintable = U_GC_C_MASK | U_GC_Z_MASK;  // control, format, unassigned, and separators

bool is_printable(char32_t c) {
  return c == U' ' || (U_MASK(u_charType(static_cast<UChar32>(c))) & kNotPrintable) == 0;
}

std::string escaped(char32_t c) {
  const auto value = static_cast<uint32_t>(c);
  if (value <= 0xFF) return fmt::format("\\x{:02x}", value);
  if (value <= 0xFFFF) return fmt::format("\\u{:04x}", value);
  return fmt::format("\\U{:08x}", value);
}

void append_quoted(char32_t c, char quote, std::string& out) {
  switch (c) {
    case U'\n': out += "\\n"; return;
    case U'\t': out += "\\t"; return;
    case U'\r': out += "\\r"; return;
    case U'\\': out += "\\\\"; return;
    default: break;
  }
  if (c == static_cast<char32_t>(quote)) out += '\\';
  if (is_printable(c))
    append_utf8(c, out);
  else
    out += escaped(c);
}

std::string quoted(std::string_view text) {
  const bool has_single = text.find('\'') != std::string_view::npos;
  const bool has_double = text.find('"') != std::string_view::npos;
  const char quote = has_single && !has_double ? '"' : '\'';
  std::string out(1, quote);
  for (size_t at = 0; at < text.size();) {
    const CodePoint point = code_point_at(text, at);
    append_quoted(point.value, quote, out);
    at += point.bytes;
  }
  return out + quote;
}

std::string pictures_text(const EaglePictures& pictures) {
  std::string text;
  for (int64_t i = 1; i <= pictures.count; ++i) {
    text += fmt::format("<image {}><img>", i);
    for (int64_t token = 0; token < pictures.tokens_each; ++token) text += kImageContext;
    text += "</img>";
  }
  return text;
}

Status check_text(std::string_view text) {
  RAMET_TRY_STATUS(check_utf8(text, "prompt text"));
  for (const std::string_view literal : {kImageContext, std::string_view("<img>"), std::string_view("</img>")})
    if (text.find(literal) != std::string_view::npos)
      return fail(Code::invalid_value, "prompt text", "no token that stands for a picture", std::string(literal));
  return refuse_picture_placeholder(text);
}

}  // namespace

std::string list_of_one(std::string_view text) { return "[" + quoted(text) + "]"; }

Result<std::vector<int64_t>> n15_prompt(const Tokenizer& tokenizer, const EaglePictures& pictures,
                                        std::string_view instruction, InstructionForm form) {
  RAMET_TRY_STATUS(check_text(instruction));
  const std::string text = form == InstructionForm::plain ? std::string(instruction) : list_of_one(instruction);
  return tokenizer.encode(
      fmt::format("<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n"
                  "<|im_start|>user\n{}{}<|im_end|>\n<|im_start|>assistant\n",
                  pictures_text(pictures), text));
}

}  // namespace ramet
