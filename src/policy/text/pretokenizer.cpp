#include "policy/text/pretokenizer.h"

#include "policy/text/unicode_classes.h"
#include "policy/text/utf8.h"

namespace ramet {
namespace {

constexpr char32_t kEnd = 0xFFFFFFFF;  // what stands behind the last character; of no class
constexpr char32_t kLongS = 0x17F;

bool is_line_end(char32_t c) { return c == '\r' || c == '\n'; }

class Scanner {
 public:
  Scanner(std::string_view text, PretokenPattern pattern)
      : text_(text), marks_in_words_(pattern == PretokenPattern::qwen3_5) {}

  CodePoint at(size_t i) const { return i < text_.size() ? code_point_at(text_, i) : CodePoint{kEnd, 0}; }

  bool is_word(char32_t c) const {
    if (c == kEnd) return false;
    const CharClass kind = char_class(c);
    return kind == CharClass::letter || (marks_in_words_ && kind == CharClass::mark);
  }
  bool is_number(char32_t c) const { return c != kEnd && char_class(c) == CharClass::number; }
  bool is_space(char32_t c) const { return c != kEnd && char_class(c) == CharClass::space; }
  bool is_other(char32_t c) const { return c != kEnd && !is_word(c) && !is_number(c) && !is_space(c); }

  template <class Predicate>
  size_t run_end(size_t i, Predicate predicate) const {
    for (CodePoint c = at(i); predicate(c.value); c = at(i)) i += c.bytes;
    return i;
  }
  size_t word_end(size_t i) const {
    return run_end(i, [&](char32_t c) { return is_word(c); });
  }

  size_t contraction_end(size_t apostrophe) const;
  size_t other_end(size_t i) const;
  size_t space_end(size_t i) const;

 private:
  std::string_view text_;
  bool marks_in_words_;
};

char32_t lower_ascii(char32_t c) { return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c; }

// The end of 's 't 'm 'd 're 've 'll at `apostrophe`, or `apostrophe` itself.
size_t Scanner::contraction_end(size_t apostrophe) const {
  const CodePoint first = at(apostrophe + 1);
  const char32_t a = lower_ascii(first.value);
  if (a == 's' || a == 't' || a == 'm' || a == 'd' || a == kLongS) return apostrophe + 1 + first.bytes;
  const char32_t b = lower_ascii(at(apostrophe + 1 + first.bytes).value);
  const bool two = (a == 'r' && b == 'e') || (a == 'v' && b == 'e') || (a == 'l' && b == 'l');
  return two ? apostrophe + 3 : apostrophe;
}

size_t Scanner::other_end(size_t i) const {
  return run_end(run_end(i, [&](char32_t c) { return is_other(c); }), is_line_end);
}

size_t Scanner::space_end(size_t begin) const {
  size_t end = begin;
  size_t last = begin;            // first byte of the last character
  size_t line_end_after = begin;  // behind the last line end
  for (CodePoint c = at(begin); is_space(c.value); c = at(end)) {
    last = end;
    end += c.bytes;
    if (is_line_end(c.value)) line_end_after = end;
  }
  if (line_end_after > begin) return line_end_after;
  return end == text_.size() || last == begin ? end : last;
}

}  // namespace

std::string_view regex(PretokenPattern pattern) {
  switch (pattern) {
    case PretokenPattern::qwen3_vl:
      return R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
    case PretokenPattern::qwen3_5:
      return R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
  }
  return {};
}

std::optional<PretokenPattern> pattern_of_regex(std::string_view text) {
  for (const PretokenPattern pattern : {PretokenPattern::qwen3_vl, PretokenPattern::qwen3_5})
    if (regex(pattern) == text) return pattern;
  return std::nullopt;
}

size_t pretoken_end(std::string_view text, size_t begin, PretokenPattern pattern) {
  const Scanner scan(text, pattern);
  const CodePoint first = scan.at(begin);
  const size_t next = begin + first.bytes;
  if (first.value == '\'')
    if (const size_t end = scan.contraction_end(begin); end > begin) return end;
  if (scan.is_word(first.value)) return scan.word_end(begin);
  if (scan.is_number(first.value)) return next;
  if (!is_line_end(first.value) && scan.is_word(scan.at(next).value)) return scan.word_end(next);
  const size_t after_blank = first.value == ' ' ? next : begin;
  if (scan.is_other(scan.at(after_blank).value)) return scan.other_end(after_blank);
  return scan.space_end(begin);
}

}  // namespace ramet
