// The three ways in which a Qwen vocabulary is published. Texts are whole files; names stand for them in errors.
//
// All files hold the same facts; loading any of them gives the same Vocabulary.
// Errors: invalid_file with file and line or key; unsupported for a tokenizer.json that describes another algorithm.
#pragma once

#include "policy/text/added_tokens.h"
#include "policy/text/pretokenizer.h"
#include "policy/text/vocabulary.h"

#include <ramet/error.h>

#include <string>
#include <string_view>
#include <vector>

namespace ramet {

inline constexpr size_t kMaxVocabularyFileBytes = size_t{64} << 20;

// One "base64-of-the-bytes rank" a line. No added tokens.
Result<Vocabulary> parse_tiktoken(std::string_view text, const std::string& name);

// vocab.json: {"letters": id}; merges.txt: "left right" a line after an optional "#version" line.
Result<Vocabulary> parse_vocab_and_merges(std::string_view vocab, const std::string& vocab_name,
                                          std::string_view merges, const std::string& merges_name);

// tokenizer.json of Hugging Face: vocabulary, merges ("left right" or ["left", "right"]), added tokens, pre-tokeniser.
struct TokenizerJson {
  Vocabulary vocabulary;
  std::vector<AddedToken> added_tokens;
  PretokenPattern pattern;
};
Result<TokenizerJson> parse_tokenizer_json(std::string_view text, const std::string& name);

}  // namespace ramet
