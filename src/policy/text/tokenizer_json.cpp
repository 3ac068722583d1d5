#include "policy/text/vocabulary_files.h"
#include "policy/text/vocabulary_parser.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace ramet {
namespace {

constexpr const char* kOnlyQwen = "Ramet reads the byte-level BPE tokenizers of the Qwen family";

tl::unexpected<Error> other_algorithm(std::string where, std::string expected, std::string found) {
  return fail(Code::unsupported, std::move(where), std::move(expected), std::move(found), kOnlyQwen);
}

Status require_type(const Json& node, std::string_view type) {
  RAMET_TRY(const std::string found, node.get<std::string>("type"));
  if (found == type) return {};
  return other_algorithm(node.where() + ".type", std::string(type), found);
}

Status check_model(const Json& model) {
  RAMET_TRY_STATUS(require_type(model, "BPE"));
  for (const char* key : {"unk_token", "continuing_subword_prefix", "end_of_word_suffix"}) {
    RAMET_TRY(const std::string affix, model.get_or<std::string>(key, ""));
    if (!affix.empty()) return other_algorithm(fmt::format("{}.{}", model.where(), key), "none", "\"" + affix + "\"");
  }
  for (const char* key : {"byte_fallback", "ignore_merges", "fuse_unk"}) {
    RAMET_TRY(const bool set, model.get_or<bool>(key, false));
    if (set) return other_algorithm(fmt::format("{}.{}", model.where(), key), "false", "true");
  }
  if (model.has("dropout")) return other_algorithm(model.where() + ".dropout", "null", "a value");
  return {};
}

// {"type": "Sequence", "pretokenizers": [{"type": "Split", "pattern": {"Regex": ...}}, {"type": "ByteLevel"}]}
Result<PretokenPattern> read_pattern(const Json& pre_tokenizer) {
  RAMET_TRY_STATUS(require_type(pre_tokenizer, "Sequence"));
  RAMET_TRY(const Json steps, pre_tokenizer.at("pretokenizers"));
  RAMET_TRY(const std::vector<Json> list, steps.elements());
  if (list.size() != 2)
    return other_algorithm(steps.where(), "Split and ByteLevel", fmt::format("{} steps", list.size()));
  const Json& split = list[0];
  RAMET_TRY_STATUS(require_type(split, "Split"));
  RAMET_TRY_STATUS(require_type(list[1], "ByteLevel"));
  RAMET_TRY(const bool prefix_space, list[1].get_or<bool>("add_prefix_space", false));
  RAMET_TRY(const bool own_regex, list[1].get_or<bool>("use_regex", false));
  RAMET_TRY(const bool invert, split.get_or<bool>("invert", false));
  RAMET_TRY(const std::string behavior, split.get<std::string>("behavior"));
  if (prefix_space || own_regex || invert || behavior != "Isolated")
    return other_algorithm(pre_tokenizer.where(), "an isolating Split and a plain ByteLevel", "other settings");
  RAMET_TRY(const Json pattern, split.at("pattern"));
  RAMET_TRY(const std::string text, pattern.get<std::string>("Regex"));
  if (const auto known = pattern_of_regex(text)) return *known;
  return other_algorithm(pattern.where() + ".Regex", "the pattern of Qwen3-VL or Qwen3.5", "\"" + text + "\"");
}

Result<PretokenPattern> check_settings(const Json& root) {
  RAMET_TRY(const Json model, root.at("model"));
  RAMET_TRY_STATUS(check_model(model));
  RAMET_TRY(const Json normalizer, root.at("normalizer"));
  RAMET_TRY_STATUS(require_type(normalizer, "NFC"));
  if (root.has("post_processor")) {
    RAMET_TRY(const Json post_processor, root.at("post_processor"));
    RAMET_TRY_STATUS(require_type(post_processor, "ByteLevel"));
  }
  RAMET_TRY(const Json pre_tokenizer, root.at("pre_tokenizer"));
  return read_pattern(pre_tokenizer);
}

}  // namespace

Result<TokenizerJson> parse_tokenizer_json(std::string_view text, const std::string& name) {
  VocabularyBuilder builder(name + ": model.vocab id", name + ": model.merges");
  RAMET_TRY(const auto rest, parse_vocabulary_json(text, name, VocabularyLayout::tokenizer_json, builder));
  const Json root(*rest, name);
  RAMET_TRY(const PretokenPattern pattern, check_settings(root));
  std::vector<AddedToken> added;
  if (root.has("added_tokens")) {
    RAMET_TRY(const Json list, root.at("added_tokens"));
    RAMET_TRY(added, added_tokens_of_tokenizer_json(list));
  }
  RAMET_TRY(Vocabulary vocabulary, std::move(builder).build());
  return TokenizerJson{std::move(vocabulary), std::move(added), pattern};
}

}  // namespace ramet
