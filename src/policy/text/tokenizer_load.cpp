#include "base/mapped_file.h"
#include "policy/text/tokenizer.h"
#include "policy/text/tokenizer_search.h"
#include "policy/text/vocabulary_files.h"

#include <fmt/format.h>

namespace ramet {
namespace {

namespace fs = std::filesystem;

PretokenPattern pattern(TokenizerFamily family) {
  return family == TokenizerFamily::qwen3_5 ? PretokenPattern::qwen3_5 : PretokenPattern::qwen3_vl;
}

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

Result<MappedFile> open_vocabulary(const fs::path& path) {
  RAMET_TRY(MappedFile file, MappedFile::open(path));
  if (file.bytes().size() > kMaxVocabularyFileBytes)
    return fail(Code::invalid_file, path.string(), fmt::format("at most {} bytes", kMaxVocabularyFileBytes),
                fmt::format("{} bytes", file.bytes().size()));
  return file;
}

std::string_view text(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

Result<Tokenizer> load_tiktoken(const fs::path& path, TokenizerFamily family) {
  RAMET_TRY(const MappedFile file, open_vocabulary(path));
  RAMET_TRY(Vocabulary vocabulary, parse_tiktoken(text(file), path.string()));
  return Tokenizer::make(std::move(vocabulary), built_in_tokens(family), pattern(family), path.string());
}

Result<std::vector<AddedToken>> added_tokens_beside(const fs::path& directory) {
  std::vector<AddedToken> tokens;
  if (const fs::path path = directory / "tokenizer_config.json"; is_there(path)) {
    RAMET_TRY(const JsonFile config, JsonFile::load(path));
    if (config.root().has("added_tokens_decoder")) {
      RAMET_TRY(const Json decoder, config.root().at("added_tokens_decoder"));
      RAMET_TRY(tokens, added_tokens_of_config(decoder));
    }
  }
  if (const fs::path path = directory / "added_tokens.json"; is_there(path)) {
    RAMET_TRY(const JsonFile file, JsonFile::load(path));
    RAMET_TRY(const std::vector<AddedToken> more, added_tokens_of_map(file.root()));
    RAMET_TRY(tokens, unite(std::move(tokens), more, path.string()));
  }
  return tokens;
}

Result<Tokenizer> load_vocab_and_merges(const fs::path& directory, TokenizerFamily family) {
  const fs::path vocab_path = directory / "vocab.json";
  const fs::path merges_path = directory / "merges.txt";
  RAMET_TRY(const MappedFile vocab, open_vocabulary(vocab_path));
  RAMET_TRY(const MappedFile merges, open_vocabulary(merges_path));
  RAMET_TRY(Vocabulary vocabulary,
            parse_vocab_and_merges(text(vocab), vocab_path.string(), text(merges), merges_path.string()));
  RAMET_TRY(std::vector<AddedToken> tokens, added_tokens_beside(directory));
  RAMET_TRY(tokens, unite(std::move(tokens), built_in_tokens(family), directory.string()));
  return Tokenizer::make(std::move(vocabulary), std::move(tokens), pattern(family), vocab_path.string());
}

Result<Tokenizer> load_tokenizer_json(const fs::path& path, TokenizerFamily family) {
  RAMET_TRY(const MappedFile file, open_vocabulary(path));
  RAMET_TRY(TokenizerJson parsed, parse_tokenizer_json(text(file), path.string()));
  if (parsed.pattern != pattern(family))
    return fail(Code::invalid_file, path.string() + ": pre_tokenizer", std::string(regex(pattern(family))),
                std::string(regex(parsed.pattern)), "this is the tokenizer of another model family");
  RAMET_TRY(std::vector<AddedToken> tokens,
            unite(std::move(parsed.added_tokens), built_in_tokens(family), path.string()));
  return Tokenizer::make(std::move(parsed.vocabulary), std::move(tokens), parsed.pattern, path.string());
}

}  // namespace

Result<Tokenizer> Tokenizer::load(const fs::path& path, TokenizerFamily family) {
  RAMET_TRY(const fs::path file, find_tokenizer({.chosen = path}));
  const std::string name = file.filename().string();
  if (file.extension() == ".tiktoken") return load_tiktoken(file, family);
  if (name == "vocab.json" || name == "merges.txt") return load_vocab_and_merges(file.parent_path(), family);
  if (file.extension() == ".json") return load_tokenizer_json(file, family);
  return fail(Code::unsupported, file.string(), "tokenizer.json, vocab.json with merges.txt, or a .tiktoken file",
              "another kind of file");
}

}  // namespace ramet
