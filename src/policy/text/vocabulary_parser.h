// JSON whose bulk is a vocabulary: entries and rules go to a VocabularyBuilder while the parser reads them, so that a
// file of 7 MB never becomes a tree of half a million nodes.
#pragma once

#include "policy/text/vocabulary.h"

#include <ramet/error.h>

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace ramet {

enum class VocabularyLayout {
  vocab_json,      // the root object is the vocabulary
  tokenizer_json,  // the vocabulary is model.vocab, the rules are model.merges
};

// What the file holds beside vocabulary and rules. Errors: invalid_file, naming file and key.
Result<std::unique_ptr<nlohmann::json>> parse_vocabulary_json(std::string_view text, const std::string& name,
                                                              VocabularyLayout layout, VocabularyBuilder& builder);

// A rule as files write it: "left right" in the byte alphabet. Errors: invalid_file at `place` and `number`.
Status add_rule_text(std::string_view rule, const std::string& place, size_t number, VocabularyBuilder& builder);
Status add_rule_parts(std::string_view left, std::string_view right, const std::string& place, size_t number,
                      VocabularyBuilder& builder);

}  // namespace ramet
