#include "policy/text/lines.h"
#include "policy/text/utf8.h"
#include "policy/text/vocabulary_files.h"
#include "policy/text/vocabulary_parser.h"

#include <nlohmann/json.hpp>

namespace ramet {
namespace {

Status add_merges(std::string_view text, const std::string& name, VocabularyBuilder& builder) {
  if (Status valid = check_utf8(text, name); !valid) {
    valid.error().code = Code::invalid_file;
    return valid;
  }
  return for_each_line(text, [&](std::string_view line, size_t number) -> Status {
    if (number == 1 && line.starts_with("#version")) return {};
    return add_rule_text(line, name + ": line", number, builder);
  });
}

}  // namespace

Result<Vocabulary> parse_vocab_and_merges(std::string_view vocab, const std::string& vocab_name,
                                          std::string_view merges, const std::string& merges_name) {
  VocabularyBuilder builder(vocab_name + ": id", merges_name + ": line");
  RAMET_TRY_STATUS(parse_vocabulary_json(vocab, vocab_name, VocabularyLayout::vocab_json, builder));
  RAMET_TRY_STATUS(add_merges(merges, merges_name, builder));
  return std::move(builder).build();
}

}  // namespace ramet
