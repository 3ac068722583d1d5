#include "policy/text/tokenizer.h"

#include "policy/text/byte_pair_merger.h"
#include "policy/text/nfc.h"
#include "policy/text/utf8.h"

#include <fmt/format.h>

namespace ramet {

Tokenizer::Tokenizer(Vocabulary vocabulary, AddedTokens added, PretokenPattern pattern, std::string source)
    : vocabulary_(std::move(vocabulary)), added_(std::move(added)), pattern_(pattern), source_(std::move(source)) {}

Result<Tokenizer> Tokenizer::make(Vocabulary vocabulary, std::vector<AddedToken> added, PretokenPattern pattern,
                                  std::string source) {
  RAMET_TRY(AddedTokens tokens, AddedTokens::make(std::move(added), static_cast<int64_t>(vocabulary.size()), source));
  return Tokenizer(std::move(vocabulary), std::move(tokens), pattern, std::move(source));
}

void Tokenizer::encode_piece(std::string_view piece, BytePairMerger& merger, std::vector<int64_t>& ids) const {
  const std::string text = normalize_nfc(piece);
  std::vector<uint32_t> tokens;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = pretoken_end(text, begin, pattern_);
    tokens.clear();
    for (; begin < end; ++begin) tokens.push_back(vocabulary_.byte_token(static_cast<uint8_t>(text[begin])));
    merger.merge(vocabulary_.rules(), tokens);
    ids.insert(ids.end(), tokens.begin(), tokens.end());
  }
}

Result<std::vector<int64_t>> Tokenizer::encode(std::string_view text) const {
  RAMET_TRY_STATUS(check_utf8(text, "text for the tokenizer"));
  std::vector<int64_t> ids;
  BytePairMerger merger;
  size_t begin = 0;
  while (const auto added = added_.find(text, begin)) {
    encode_piece(text.substr(begin, added->begin - begin), merger, ids);
    ids.push_back(added->id);
    begin = added->begin + added->bytes;
  }
  encode_piece(text.substr(begin), merger, ids);
  return ids;
}

std::string_view Tokenizer::spelling(int64_t id) const {
  const auto index = static_cast<size_t>(id);
  return index < vocabulary_.size() ? vocabulary_.spelling(static_cast<uint32_t>(index))
                                    : added_[index - vocabulary_.size()].content;
}

Result<std::string> Tokenizer::decode(std::span<const int64_t> ids) const {
  std::string bytes;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < 0 || ids[i] >= size())
      return fail(Code::invalid_value, fmt::format("token {}", i), fmt::format("an id from 0 to {}", size() - 1),
                  fmt::format("{}", ids[i]));
    bytes += spelling(ids[i]);
  }
  return replace_ill_formed(bytes);
}

}  // namespace ramet
