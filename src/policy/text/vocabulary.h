// A byte-level byte-pair vocabulary: what each token spells, and which pairs merge.
//
// Tokens 0..255 are the single bytes in any order; token 256 + i is what merge rule i makes. That is how all files of
// the Qwen family are built, and it is checked: a rank and an id are the same number everywhere else in this folder.
// Source: spec qwen3-vl, section 5.2.
#pragma once

#include "policy/text/merge_table.h"

#include <ramet/error.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ramet {

inline constexpr size_t kByteTokens = 256;
inline constexpr int64_t kMaxVocabulary = 1 << 22;

class Vocabulary {
 public:
  size_t size() const { return offsets_.size() - 1; }
  std::string_view spelling(uint32_t id) const {
    return std::string_view(arena_).substr(offsets_[id], offsets_[id + 1] - offsets_[id]);
  }
  uint32_t byte_token(uint8_t byte) const { return byte_tokens_[byte]; }
  const MergeTable& rules() const { return rules_; }

 private:
  friend class VocabularyBuilder;
  std::string arena_;                 // the spellings, one after the other
  std::vector<uint32_t> offsets_{0};  // [size + 1]
  std::array<uint32_t, kByteTokens> byte_tokens_{};
  MergeTable rules_;
};

// Collects tokens and rules in the order of a file, then checks that they are one vocabulary.
//
// Errors: invalid_file, naming `tokens_place` or `rules_place` and the number of the entry: an id missing, doubled or
// out of range, a first 256 that are not the bytes, a rule that does not spell its token.
class VocabularyBuilder {
 public:
  // "vocab.json: id" and "merges.txt: line", as they stand in errors.
  VocabularyBuilder(std::string tokens_place, std::string rules_place)
      : tokens_place_(std::move(tokens_place)), rules_place_(std::move(rules_place)) {}

  Status add_token(std::string_view spelling, int64_t id);
  void add_rule(std::string_view left, std::string_view right, size_t number);  // in the order of the ranks

  Result<Vocabulary> build() &&;
  // For files that list ranks but no rules: the rule of a token is the pair that its bytes come down to under the
  // rules of all lower ranks.
  Result<Vocabulary> build_from_ranks() &&;

 private:
  struct Token {
    uint32_t id, offset, length;
  };
  struct Rule {
    uint32_t offset, left_length, right_length;
    size_t number;  // of the line or list entry
  };
  tl::unexpected<Error> wrong_token(size_t id, std::string expected, std::string found) const;
  std::string_view spelling(const Token& token) const;
  Result<Vocabulary> place_tokens();
  Status place_bytes(Vocabulary& vocabulary) const;
  Result<class SpellingIndex> index(const Vocabulary& vocabulary) const;
  Status place_rules(Vocabulary& vocabulary) const;
  Status place_rule(const SpellingIndex& ids, uint32_t joined, Vocabulary& vocabulary) const;

  std::string tokens_place_, rules_place_;
  std::string arena_;
  std::vector<Token> tokens_;
  std::vector<Rule> rules_;
};

}  // namespace ramet
