#include "policy/text/vocabulary.h"

#include "policy/text/byte_pair_merger.h"
#include "policy/text/spelling_index.h"
#include "policy/text/utf8.h"

#include <fmt/format.h>

#include <algorithm>

namespace ramet {
namespace {

constexpr const char* kMixedFiles = "tokens and rules must come from one tokenizer, and both be complete";

std::string quoted(std::string_view spelling) { return fmt::format("\"{}\"", replace_ill_formed(spelling)); }

void spell(const Vocabulary& vocabulary, uint32_t id, std::vector<uint32_t>& tokens) {
  tokens.clear();
  for (const char byte : vocabulary.spelling(id)) tokens.push_back(vocabulary.byte_token(static_cast<uint8_t>(byte)));
}

}  // namespace

tl::unexpected<Error> VocabularyBuilder::wrong_token(size_t id, std::string expected, std::string found) const {
  return fail(Code::invalid_file, fmt::format("{} {}", tokens_place_, id), std::move(expected), std::move(found));
}

Status VocabularyBuilder::add_token(std::string_view spelling, int64_t id) {
  if (id < 0 || id >= kMaxVocabulary)
    return fail(Code::invalid_file, fmt::format("{} {}", tokens_place_, id),
                fmt::format("an id from 0 to {}", kMaxVocabulary - 1), fmt::format("{}", id));
  if (spelling.empty()) return wrong_token(static_cast<size_t>(id), "a token of at least one byte", "an empty one");
  tokens_.push_back(
      {static_cast<uint32_t>(id), static_cast<uint32_t>(arena_.size()), static_cast<uint32_t>(spelling.size())});
  arena_ += spelling;
  return {};
}

void VocabularyBuilder::add_rule(std::string_view left, std::string_view right, size_t number) {
  rules_.push_back({static_cast<uint32_t>(arena_.size()), static_cast<uint32_t>(left.size()),
                    static_cast<uint32_t>(right.size()), number});
  (arena_ += left) += right;
}

std::string_view VocabularyBuilder::spelling(const Token& token) const {
  return std::string_view(arena_).substr(token.offset, token.length);
}

// Tokens in the order of their ids: each of 0..N-1 once, the first 256 single bytes.
Result<Vocabulary> VocabularyBuilder::place_tokens() {
  std::stable_sort(tokens_.begin(), tokens_.end(), [](const Token& a, const Token& b) { return a.id < b.id; });
  Vocabulary vocabulary;
  for (size_t id = 0; id < tokens_.size(); ++id) {
    if (tokens_[id].id < id) return wrong_token(tokens_[id].id, "each id once", "two tokens of this id");
    if (tokens_[id].id > id) return wrong_token(id, "a token for each id", "none");
    vocabulary.arena_ += spelling(tokens_[id]);
    vocabulary.offsets_.push_back(static_cast<uint32_t>(vocabulary.arena_.size()));
  }
  RAMET_TRY_STATUS(place_bytes(vocabulary));
  return vocabulary;
}

Status VocabularyBuilder::place_bytes(Vocabulary& vocabulary) const {
  if (vocabulary.size() < kByteTokens)
    return wrong_token(vocabulary.size(), "a token for each of the 256 bytes", "none");
  vocabulary.byte_tokens_.fill(kNoToken);
  for (uint32_t id = 0; id < kByteTokens; ++id) {
    const std::string_view byte = vocabulary.spelling(id);
    if (byte.size() != 1) return wrong_token(id, "a single byte, as for all ids below 256", quoted(byte));
    uint32_t& token = vocabulary.byte_tokens_[static_cast<uint8_t>(byte[0])];
    if (token != kNoToken) return wrong_token(id, "each byte once", fmt::format("that of id {}", token));
    token = id;
  }
  return {};
}

Result<SpellingIndex> VocabularyBuilder::index(const Vocabulary& vocabulary) const {
  SpellingIndex ids(vocabulary);
  for (uint32_t id = 0; id < vocabulary.size(); ++id)
    if (const uint32_t first = ids.insert(id); first != id)
      return wrong_token(id, "each spelling once",
                         fmt::format("{}, that of id {}", quoted(vocabulary.spelling(id)), first));
  return ids;
}

Status VocabularyBuilder::place_rule(const SpellingIndex& ids, uint32_t joined, Vocabulary& vocabulary) const {
  const Rule& rule = rules_[joined - kByteTokens];
  const auto whole = std::string_view(arena_).substr(rule.offset, rule.left_length + rule.right_length);
  const auto left = whole.substr(0, rule.left_length);
  const auto right = whole.substr(rule.left_length);
  const uint32_t left_id = ids.find(left);
  const uint32_t right_id = ids.find(right);
  if (vocabulary.spelling(joined) != whole || left_id >= joined || right_id >= joined)
    return fail(Code::invalid_file, fmt::format("{} {}", rules_place_, rule.number),
                fmt::format("two earlier tokens that make {} {}, {}", tokens_place_, joined,
                            quoted(vocabulary.spelling(joined))),
                quoted(left) + " and " + quoted(right), kMixedFiles);
  vocabulary.rules_.insert(left_id, right_id, joined);
  return {};
}

Status VocabularyBuilder::place_rules(Vocabulary& vocabulary) const {
  const size_t expected = vocabulary.size() - kByteTokens;
  if (rules_.size() != expected)
    return fail(Code::invalid_file, fmt::format("{} {}", rules_place_, rules_.empty() ? 0 : rules_.back().number),
                fmt::format("{} merge rules, one for each of the {} tokens above the bytes", expected, expected),
                fmt::format("{}", rules_.size()), kMixedFiles);
  RAMET_TRY(const SpellingIndex ids, index(vocabulary));
  vocabulary.rules_ = MergeTable(expected);
  for (auto id = static_cast<uint32_t>(kByteTokens); id < vocabulary.size(); ++id)
    RAMET_TRY_STATUS(place_rule(ids, id, vocabulary));
  return {};
}

Result<Vocabulary> VocabularyBuilder::build() && {
  RAMET_TRY(Vocabulary vocabulary, place_tokens());
  RAMET_TRY_STATUS(place_rules(vocabulary));
  return vocabulary;
}

Result<Vocabulary> VocabularyBuilder::build_from_ranks() && {
  RAMET_TRY(Vocabulary vocabulary, place_tokens());
  vocabulary.rules_ = MergeTable(vocabulary.size() - kByteTokens);
  BytePairMerger merger;
  std::vector<uint32_t> parts;
  for (auto id = static_cast<uint32_t>(kByteTokens); id < vocabulary.size(); ++id) {
    spell(vocabulary, id, parts);
    merger.merge(vocabulary.rules_, parts);
    if (parts.size() != 2)
      return wrong_token(id, "a new token, made of two of lower rank",
                         fmt::format("{}, made of {}", quoted(vocabulary.spelling(id)), parts.size()));
    vocabulary.rules_.insert(parts[0], parts[1], id);
  }
  return vocabulary;
}

}  // namespace ramet
