#include "policy/text/eagle_prompt.h"

#include "policy/text/positions.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace ramet {
namespace {

// <image-N>: the placeholder by which the original's template asks for a picture.
bool has_placeholder(std::string_view text) {
  constexpr std::string_view kStart = "<image-";
  for (size_t at = text.find(kStart); at != std::string_view::npos; at = text.find(kStart, at + 1)) {
    const size_t digits = at + kStart.size(), end = text.find_first_not_of("0123456789", digits);
    if (end != std::string_view::npos && end > digits && text[end] == '>') return true;
  }
  return false;
}

Status check_text(std::string_view text) {
  for (const AddedToken& token : built_in_tokens(TokenizerFamily::eagle))
    if (text.find(token.content) != std::string_view::npos)
      return fail(Code::invalid_value, "prompt text", "no special token", token.content);
  return refuse_picture_placeholder(text);
}

// Every context token of `ids` stands for a whole picture.
std::vector<int64_t> with_contexts(const std::vector<int64_t>& ids, int64_t context, std::span<const Grid> images) {
  std::vector<int64_t> result;
  auto image = images.begin();
  for (const int64_t id : ids)
    result.insert(result.end(), id == context ? static_cast<size_t>(merged_tokens(*image++)) : 1U, id);
  return result;
}

}  // namespace

Status refuse_picture_placeholder(std::string_view text) {
  if (!has_placeholder(text)) return {};
  return fail(Code::invalid_value, "prompt text", "no placeholder of a picture", "<image-N>");
}

Result<std::vector<int64_t>> n16_prompt(const Tokenizer& tokenizer, std::span<const Grid> images,
                                        std::string_view instruction) {
  RAMET_TRY_STATUS(check_text(instruction));
  const std::optional<int64_t> context = tokenizer.added_token(kEagleImageContext);
  if (!context)
    return fail(Code::not_found, tokenizer.source(), fmt::format("the added token {}", kEagleImageContext), "none");
  std::string pictures;
  for (size_t k = 1; k <= images.size(); ++k) {
    RAMET_TRY_STATUS(check_grid(images[k - 1], fmt::format("grid of picture {}", k)));
    pictures += fmt::format("<image {}><img>{}</img>", k, kEagleImageContext);
  }
  RAMET_TRY(const std::vector<int64_t> ids,
            tokenizer.encode(fmt::format("<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n"
                                         "<|im_start|>user\n{}{}<|im_end|>\n",
                                         instruction, pictures)));
  return with_contexts(ids, *context, images);
}

}  // namespace ramet
