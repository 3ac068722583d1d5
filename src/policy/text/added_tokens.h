// Added tokens: texts such as "<|im_start|>" that are one token each and never reach the byte-pair encoder.
//
// Their ids follow the vocabulary without a gap. The tables of the published models are built in, since checkpoints
// and .tiktoken files lack them; files that list added tokens must agree with the table of the family.
// Source: spec qwen3-vl, sections 1.5 and 5.2; gr00t-n1.6, section 5.2; goldens/tokenizer.
#pragma once

#include "base/json.h"

#include <ramet/error.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ramet {

enum class TokenizerFamily {
  qwen3_vl,  // Qwen3-VL, Cosmos-Reason2, GR00T N1.7
  eagle,     // Eagle of GR00T N1.5 and N1.6: eleven tokens more
  qwen3_5,   // no table built in: the files must bring the added tokens
};

struct AddedToken {
  std::string content;
  int64_t id;
  friend bool operator==(const AddedToken&, const AddedToken&) = default;
};

std::vector<AddedToken> built_in_tokens(TokenizerFamily family);

// Readers of the three places that list added tokens. Errors: invalid_file; unsupported for a token that strips or
// normalises the text around it.
Result<std::vector<AddedToken>> added_tokens_of_tokenizer_json(const Json& list);  // [{"id", "content", ...}]
Result<std::vector<AddedToken>> added_tokens_of_config(const Json& decoder);       // {"ID": {"content", ...}}
Result<std::vector<AddedToken>> added_tokens_of_map(const Json& map);              // {"CONTENT": ID}

// The union of two lists. Errors: invalid_file at `where` when one text has two ids or one id two texts.
Result<std::vector<AddedToken>> unite(std::vector<AddedToken> tokens, const std::vector<AddedToken>& more,
                                      const std::string& where);

class AddedTokens {
 public:
  struct Match {
    size_t begin, bytes;
    int64_t id;
  };

  AddedTokens() = default;
  // Errors: invalid_file at `where` when ids do not run on from `first_id` or a text is empty.
  static Result<AddedTokens> make(std::vector<AddedToken> tokens, int64_t first_id, const std::string& where);

  size_t size() const { return tokens_.size(); }
  const AddedToken& operator[](size_t index) const { return tokens_[index]; }  // by id, from first_id
  std::optional<int64_t> id(std::string_view content) const;
  // The leftmost match at or after `begin`, the longest of those that start there.
  std::optional<Match> find(std::string_view text, size_t begin) const;

 private:
  std::vector<AddedToken> tokens_;                          // ascending ids
  std::array<std::vector<uint32_t>, 256> by_first_byte_{};  // indices into tokens_, longest content first
};

}  // namespace ramet
