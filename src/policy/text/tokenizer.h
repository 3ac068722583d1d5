// The tokenizer of the Qwen2 family: byte-level byte-pair encoding.
//
//   1  added tokens are cut out of the text, leftmost, longest first
//   2  each piece between them is brought into NFC (nfc.h)
//   3  and split into pre-tokens (pretokenizer.h)
//   4  whose bytes are merged by rank (byte_pair_merger.h)
//
// No start or end token is added. A Tokenizer is immutable: one may serve many threads.
// Source: spec qwen3-vl, section 5.2.
#pragma once

#include "policy/text/added_tokens.h"
#include "policy/text/pretokenizer.h"
#include "policy/text/vocabulary.h"

#include <ramet/error.h>

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ramet {

class Tokenizer {
 public:
  // `path` is a directory (tokenizer_search.h says what is taken of it), a tokenizer.json, a vocab.json or merges.txt
  // with the other one beside it, or a .tiktoken file. Beside vocab.json, tokenizer_config.json and added_tokens.json
  // are read when they exist. Errors: not_found, no_resource, invalid_file, unsupported.
  static Result<Tokenizer> load(const std::filesystem::path& path, TokenizerFamily family = TokenizerFamily::qwen3_vl);
  // From parts; `source` stands for the file in errors.
  static Result<Tokenizer> make(Vocabulary vocabulary, std::vector<AddedToken> added, PretokenPattern pattern,
                                std::string source);

  // Errors: invalid_value when the text is not UTF-8 (the byte offset is named) or longer than kMaxTextBytes.
  Result<std::vector<int64_t>> encode(std::string_view text) const;

  // Ill-formed UTF-8 becomes U+FFFD. Errors: invalid_value for an id that is no token.
  Result<std::string> decode(std::span<const int64_t> ids) const;

  std::optional<int64_t> added_token(std::string_view content) const { return added_.id(content); }
  int64_t size() const { return static_cast<int64_t>(vocabulary_.size() + added_.size()); }
  const std::string& source() const { return source_; }

 private:
  Tokenizer(Vocabulary vocabulary, AddedTokens added, PretokenPattern pattern, std::string source);
  void encode_piece(std::string_view piece, class BytePairMerger& merger, std::vector<int64_t>& ids) const;
  std::string_view spelling(int64_t id) const;

  Vocabulary vocabulary_;
  AddedTokens added_;
  PretokenPattern pattern_;
  std::string source_;
};

}  // namespace ramet
