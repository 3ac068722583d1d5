// The first byte chooses: the rest is a vocabulary file of one of the three kinds, or text for a tiny tokenizer.
#include "policy/text/formalize.h"
#include "policy/text/nfc.h"
#include "policy/text/tokenizer.h"
#include "policy/text/vocabulary_files.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace ramet;

// The 256 bytes, then what these pairs make.
constexpr std::pair<std::string_view, std::string_view> kRules[] = {
    {"a", "b"}, {"a", "a"}, {"aa", "ab"}, {" ", " "}, {" ", "a"}, {"\xCC", "\x81"}, {"\xF0", "\x9F"}, {"1", "2"}};

Tokenizer tiny_tokenizer(PretokenPattern pattern, std::vector<AddedToken> added) {
  VocabularyBuilder builder("tiny: id", "tiny: rule");
  int64_t id = 0;
  bool good = true;
  for (; id < 256; ++id) good &= builder.add_token(std::string(1, static_cast<char>(id)), id).has_value();
  for (const auto& [left, right] : kRules) {
    good &= builder.add_token(std::string(left) + std::string(right), id).has_value();
    builder.add_rule(left, right, static_cast<size_t>(id++));
  }
  auto vocabulary = std::move(builder).build();
  if (!good || !vocabulary) __builtin_trap();
  auto tokenizer = Tokenizer::make(std::move(*vocabulary), std::move(added), pattern, "tiny");
  if (!tokenizer) __builtin_trap();
  return std::move(*tokenizer);
}

void encode(std::string_view text) {
  static const Tokenizer plain = tiny_tokenizer(PretokenPattern::qwen3_vl, {});
  static const Tokenizer marked =
      tiny_tokenizer(PretokenPattern::qwen3_5, {{"<a>", 264}, {"<a><", 265}, {"\xC3\x85", 266}});
  const auto ids = plain.encode(text);
  if (ids.has_value() != marked.encode(text).has_value()) __builtin_trap();
  if (ids.has_value() != formalize_language(text).has_value()) __builtin_trap();
  if (!ids) return;
  const auto decoded = plain.decode(*ids);
  if (!decoded || *decoded != normalize_nfc(text)) __builtin_trap();
}

void parse_pair(std::string_view text) {
  const size_t end = text.find('\0');
  if (end == std::string_view::npos) return;
  static_cast<void>(parse_vocab_and_merges(text.substr(0, end), "vocab.json", text.substr(end + 1), "merges.txt"));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 8) {
    case 0: static_cast<void>(parse_tiktoken(rest, "fuzz.tiktoken")); break;
    case 1: static_cast<void>(parse_tokenizer_json(rest, "tokenizer.json")); break;
    case 2: parse_pair(rest); break;
    default: encode(rest); break;
  }
  return 0;
}
