#include "policy/text/added_tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <span>

namespace ramet {
namespace {

constexpr int64_t kFirstBuiltIn = 151643;
constexpr size_t kQwen3VlTokens = 26;
constexpr std::array<std::string_view, 37> kEagleTokens{"<|endoftext|>",
                                                        "<|im_start|>",
                                                        "<|im_end|>",
                                                        "<|object_ref_start|>",
                                                        "<|object_ref_end|>",
                                                        "<|box_start|>",
                                                        "<|box_end|>",
                                                        "<|quad_start|>",
                                                        "<|quad_end|>",
                                                        "<|vision_start|>",
                                                        "<|vision_end|>",
                                                        "<|vision_pad|>",
                                                        "<|image_pad|>",
                                                        "<|video_pad|>",
                                                        "<tool_call>",
                                                        "</tool_call>",
                                                        "<|fim_prefix|>",
                                                        "<|fim_middle|>",
                                                        "<|fim_suffix|>",
                                                        "<|fim_pad|>",
                                                        "<|repo_name|>",
                                                        "<|file_sep|>",
                                                        "<tool_response>",
                                                        "</tool_response>",
                                                        "<think>",
                                                        "</think>",
                                                        "<IMG_CONTEXT>",
                                                        "<img>",
                                                        "</img>",
                                                        "<box>",
                                                        "</box>",
                                                        "<quad>",
                                                        "</quad>",
                                                        "<ref>",
                                                        "</ref>",
                                                        "<interval>",
                                                        "</interval>"};

std::span<const std::string_view> names(TokenizerFamily family) {
  switch (family) {
    case TokenizerFamily::qwen3_vl: return std::span(kEagleTokens).first(kQwen3VlTokens);
    case TokenizerFamily::eagle: return kEagleTokens;
    case TokenizerFamily::qwen3_5: return {};
  }
  return {};
}

Result<std::string> read_content(const Json& token) {
  for (const char* flag : {"lstrip", "rstrip", "single_word", "normalized"}) {
    RAMET_TRY(const bool set, token.get_or<bool>(flag, false));
    if (set)
      return fail(Code::unsupported, fmt::format("{}.{}", token.where(), flag), "false, as for every published token",
                  "true", "list the token with this flag off");
  }
  return token.get<std::string>("content");
}

Result<int64_t> parse_id(const std::string& text, const Json& token) {
  int64_t id = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (error != std::errc() || end != text.data() + text.size())
    return fail(Code::invalid_file, token.where(), "a token id as the key", "\"" + text + "\"");
  return id;
}

}  // namespace

std::vector<AddedToken> built_in_tokens(TokenizerFamily family) {
  std::vector<AddedToken> tokens;
  for (const std::string_view name : names(family))
    tokens.push_back({std::string(name), kFirstBuiltIn + static_cast<int64_t>(tokens.size())});
  return tokens;
}

Result<std::vector<AddedToken>> added_tokens_of_tokenizer_json(const Json& list) {
  RAMET_TRY(const std::vector<Json> entries, list.elements());
  std::vector<AddedToken> tokens;
  for (const Json& entry : entries) {
    RAMET_TRY(const int64_t id, entry.get<int64_t>("id"));
    RAMET_TRY(std::string content, read_content(entry));
    tokens.push_back({std::move(content), id});
  }
  return tokens;
}

Result<std::vector<AddedToken>> added_tokens_of_config(const Json& decoder) {
  RAMET_TRY(const auto entries, decoder.items());
  std::vector<AddedToken> tokens;
  for (const auto& [key, entry] : entries) {
    RAMET_TRY(const int64_t id, parse_id(key, entry));
    RAMET_TRY(std::string content, read_content(entry));
    tokens.push_back({std::move(content), id});
  }
  return tokens;
}

Result<std::vector<AddedToken>> added_tokens_of_map(const Json& map) {
  RAMET_TRY(const auto entries, map.items());
  std::vector<AddedToken> tokens;
  for (const auto& [content, value] : entries) {
    RAMET_TRY(const int64_t id, value.as<int64_t>());
    tokens.push_back({content, id});
  }
  return tokens;
}

Result<std::vector<AddedToken>> unite(std::vector<AddedToken> tokens, const std::vector<AddedToken>& more,
                                      const std::string& where) {
  for (const AddedToken& token : more) {
    const auto it = std::find_if(tokens.begin(), tokens.end(), [&](const AddedToken& other) {
      return other.content == token.content || other.id == token.id;
    });
    if (it == tokens.end())
      tokens.push_back(token);
    else if (*it != token)
      return fail(Code::invalid_file, where, fmt::format("added token \"{}\" with id {}", token.content, token.id),
                  fmt::format("\"{}\" with id {}", it->content, it->id), "these files belong to another model family");
  }
  return tokens;
}

Result<AddedTokens> AddedTokens::make(std::vector<AddedToken> tokens, int64_t first_id, const std::string& where) {
  std::sort(tokens.begin(), tokens.end(), [](const AddedToken& a, const AddedToken& b) { return a.id < b.id; });
  AddedTokens result;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const AddedToken& token = tokens[i];
    const int64_t expected = first_id + static_cast<int64_t>(i);
    if (token.id != expected)
      return fail(Code::invalid_file, where,
                  fmt::format("id {} for the added token \"{}\": the next one after {} tokens", expected, token.content,
                              expected),
                  fmt::format("id {}", token.id), "a file is cut off, or belongs to another tokenizer");
    if (token.content.empty())
      return fail(Code::invalid_file, where, "a text for each added token", fmt::format("none for id {}", token.id));
    result.by_first_byte_[static_cast<uint8_t>(token.content[0])].push_back(static_cast<uint32_t>(i));
  }
  for (auto& candidates : result.by_first_byte_)
    std::stable_sort(candidates.begin(), candidates.end(),
                     [&](uint32_t a, uint32_t b) { return tokens[a].content.size() > tokens[b].content.size(); });
  result.tokens_ = std::move(tokens);
  return result;
}

std::optional<int64_t> AddedTokens::id(std::string_view content) const {
  for (const AddedToken& token : tokens_)
    if (token.content == content) return token.id;
  return std::nullopt;
}

std::optional<AddedTokens::Match> AddedTokens::find(std::string_view text, size_t begin) const {
  for (size_t i = begin; i < text.size(); ++i)
    for (const uint32_t index : by_first_byte_[static_cast<uint8_t>(text[i])])
      if (const AddedToken& token = tokens_[index]; text.substr(i).starts_with(token.content))
        return Match{i, token.content.size(), token.id};
  return std::nullopt;
}

}  // namespace ramet
