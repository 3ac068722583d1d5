// Where the tokenizer of a checkpoint is looked for.
//
// The first of these that exists: the path the user chose, the checkpoint directory, the directory of the backbone,
// the installed data. In a directory: tokenizer.json; vocab.json with merges.txt; qwen.tiktoken.
// Source: spec cli, section 2.
#pragma once

#include <ramet/error.h>

#include <filesystem>
#include <optional>
#include <vector>

namespace ramet {

struct TokenizerSearch {
  std::filesystem::path chosen = {};      // --tokenizer; empty: none. Nothing else is tried when it is given
  std::filesystem::path checkpoint = {};  // DIR
  std::filesystem::path backbone = {};    // empty: none
  std::vector<std::filesystem::path> installed = {};  // data directories, best first; the front end knows them
};

// Errors: not_found, listing every place and what to do.
Result<std::filesystem::path> find_tokenizer(const TokenizerSearch& search);

// The file in `directory` by which Tokenizer::load reads it.
std::optional<std::filesystem::path> tokenizer_in(const std::filesystem::path& directory);

}  // namespace ramet
