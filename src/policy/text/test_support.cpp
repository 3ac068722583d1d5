#include "policy/text/test_support.h"

#include "policy/text/byte_alphabet.h"
#include "support/paths.h"

#include <cstdlib>

namespace ramet::test {
namespace fs = std::filesystem;

std::optional<fs::path> qwen_vocabulary() {
  if (const auto goldens = golden_dir("tokenizer")) return *goldens;
  std::vector<fs::path> places{source_dir() / "build/data"};
  if (const char* chosen = std::getenv("RAMET_DATA_DIR")) places.insert(places.begin(), chosen);
  for (const fs::path& place : places)
    if (fs::exists(place / "qwen.tiktoken")) return place / "qwen.tiktoken";
  return std::nullopt;
}

Result<Tokenizer> load_qwen(TokenizerFamily family) {
  const auto path = qwen_vocabulary();
  return Tokenizer::load(path ? *path : fs::path(), family);
}

Result<Vocabulary> tiny_vocabulary(const std::vector<std::pair<std::string, std::string>>& rules) {
  VocabularyBuilder builder("tiny: id", "tiny: rule");
  for (int64_t byte = 0; byte < 256; ++byte)
    RAMET_TRY_STATUS(builder.add_token(std::string(1, static_cast<char>(byte)), byte));
  int64_t id = 256;
  for (const auto& [left, right] : rules) {
    RAMET_TRY_STATUS(builder.add_token(left + right, id));
    builder.add_rule(left, right, static_cast<size_t>(id - 256));
    ++id;
  }
  return std::move(builder).build();
}

Result<Tokenizer> tiny_tokenizer(const std::vector<std::pair<std::string, std::string>>& rules,
                                 const std::vector<std::string>& added) {
  RAMET_TRY(Vocabulary vocabulary, tiny_vocabulary(rules));
  std::vector<AddedToken> tokens;
  for (const std::string& content : added)
    tokens.push_back({content, static_cast<int64_t>(vocabulary.size() + tokens.size())});
  return Tokenizer::make(std::move(vocabulary), std::move(tokens), PretokenPattern::qwen3_vl, "tiny");
}

std::vector<int64_t> expand_runs(const std::vector<std::vector<double>>& runs) {
  std::vector<int64_t> ids;
  for (const auto& run : runs) ids.insert(ids.end(), static_cast<size_t>(run.at(1)), static_cast<int64_t>(run.at(0)));
  return ids;
}

std::vector<int64_t> ints(const Json& list) { return list.as<std::vector<int64_t>>().value_or(std::vector<int64_t>{}); }

}  // namespace ramet::test
