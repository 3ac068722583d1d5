// What the tests of this folder share: the real vocabulary, when it is there, and a tiny one made on the spot.
#pragma once

#include "base/json.h"
#include "policy/text/tokenizer.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ramet::test {

inline constexpr const char* kNoVocabulary =
    "no vocabulary: neither goldens/tokenizer nor qwen.tiktoken in $RAMET_DATA_DIR or build/data (run `make setup`)";

// goldens/tokenizer, else the installed qwen.tiktoken.
std::optional<std::filesystem::path> qwen_vocabulary();
Result<Tokenizer> load_qwen(TokenizerFamily family = TokenizerFamily::qwen3_vl);

// The 256 bytes and the tokens made by merging `rules`, in their order; then added tokens from <|endoftext|> on.
Result<Vocabulary> tiny_vocabulary(const std::vector<std::pair<std::string, std::string>>& rules);
Result<Tokenizer> tiny_tokenizer(const std::vector<std::pair<std::string, std::string>>& rules,
                                 const std::vector<std::string>& added = {});

std::vector<int64_t> expand_runs(const std::vector<std::vector<double>>& runs);  // [[id, count], ...]
std::vector<int64_t> ints(const Json& list);

}  // namespace ramet::test
