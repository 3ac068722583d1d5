#include "policy/text/prompt.h"

#include "policy/text/positions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ramet {
namespace {

// Collects text and special tokens. Text is encoded when a special token ends it, so pieces that touch are one.
class PromptWriter {
 public:
  PromptWriter(const Tokenizer& tokenizer, const SpecialTokens& special) : tokenizer_(tokenizer), special_(special) {}

  void text(std::string_view text) { text_ += text; }
  Status token(int64_t id, int64_t count = 1) {
    RAMET_TRY_STATUS(flush());
    ids_.insert(ids_.end(), static_cast<size_t>(count), id);
    return {};
  }
  Status picture(const Grid& grid, int64_t pad) {
    RAMET_TRY_STATUS(token(special_.vision_start));
    RAMET_TRY_STATUS(token(pad, merged_tokens(grid)));
    return token(special_.vision_end);
  }
  Status begin_turn(std::string_view role) {
    RAMET_TRY_STATUS(token(special_.im_start));
    text(fmt::format("{}\n", role));
    return {};
  }
  Status end_turn() {
    RAMET_TRY_STATUS(token(special_.im_end));
    text("\n");
    return {};
  }
  Result<std::vector<int64_t>> finish() && {
    RAMET_TRY_STATUS(flush());
    return std::move(ids_);
  }

 private:
  Status flush() {
    RAMET_TRY(const std::vector<int64_t> ids, tokenizer_.encode(text_));
    for (const int64_t id : ids)
      if (id == special_.image_pad || id == special_.video_pad)
        return fail(Code::invalid_value, "prompt text", "no <|image_pad|> and no <|video_pad|>", "one",
                    "pass pictures as pictures");
    ids_.insert(ids_.end(), ids.begin(), ids.end());
    text_.clear();
    return {};
  }

  const Tokenizer& tokenizer_;
  const SpecialTokens& special_;
  std::string text_;
  std::vector<int64_t> ids_;
};

Status write_image(const ImagePart& image, const SpecialTokens& special, PromptWriter& writer) {
  RAMET_TRY_STATUS(check_grid(image.grid, "grid of an image"));
  if (image.grid.t != 1)
    return fail(Code::invalid_value, "grid of an image", "one frame group", fmt::format("{}", image.grid.t));
  return writer.picture(image.grid, special.image_pad);
}

Status check_stamps(const VideoPart& video) {
  const bool finite =
      std::all_of(video.stamps_s.begin(), video.stamps_s.end(), [](double s) { return std::isfinite(s); });
  if (finite && static_cast<int64_t>(video.stamps_s.size()) == video.grid.t) return {};
  return fail(Code::invalid_value, "stamps of a video", fmt::format("{} finite numbers", video.grid.t),
              finite ? fmt::format("{}", video.stamps_s.size()) : "infinity or NaN");
}

Status write_video(const VideoPart& video, VideoWrap wrap, const SpecialTokens& special, PromptWriter& writer) {
  RAMET_TRY_STATUS(check_grid(video.grid, "grid of a video"));
  RAMET_TRY_STATUS(check_stamps(video));
  const bool outer = wrap == VideoWrap::keep_outer;
  if (outer) RAMET_TRY_STATUS(writer.token(special.vision_start));
  for (const double stamp_s : video.stamps_s) {
    writer.text(fmt::format("<{:.1f} seconds>", stamp_s));
    RAMET_TRY_STATUS(writer.picture(video.grid, special.video_pad));
  }
  return outer ? writer.token(special.vision_end) : Status();
}

Status write_part(const PromptPart& part, VideoWrap wrap, const SpecialTokens& special, PromptWriter& writer) {
  if (const auto* image = std::get_if<ImagePart>(&part)) return write_image(*image, special, writer);
  if (const auto* video = std::get_if<VideoPart>(&part)) return write_video(*video, wrap, special, writer);
  writer.text(std::get<TextPart>(part).text);
  return {};
}

Result<int64_t> find_token(const Tokenizer& tokenizer, std::string_view content) {
  if (const auto id = tokenizer.added_token(content)) return *id;
  return fail(Code::not_found, tokenizer.source(), fmt::format("the added token {}", content), "none",
              "give a tokenizer of this model: its tokenizer.json, or vocab.json with tokenizer_config.json");
}

}  // namespace

Result<SpecialTokens> special_tokens(const Tokenizer& tokenizer) {
  SpecialTokens tokens;
  RAMET_TRY(tokens.endoftext, find_token(tokenizer, "<|endoftext|>"));
  RAMET_TRY(tokens.im_start, find_token(tokenizer, "<|im_start|>"));
  RAMET_TRY(tokens.im_end, find_token(tokenizer, "<|im_end|>"));
  RAMET_TRY(tokens.vision_start, find_token(tokenizer, "<|vision_start|>"));
  RAMET_TRY(tokens.vision_end, find_token(tokenizer, "<|vision_end|>"));
  RAMET_TRY(tokens.image_pad, find_token(tokenizer, "<|image_pad|>"));
  RAMET_TRY(tokens.video_pad, find_token(tokenizer, "<|video_pad|>"));
  return tokens;
}

Status check_special_token(const Tokenizer& tokenizer, std::string_view token, int64_t id, const std::string& where) {
  RAMET_TRY(const int64_t own, find_token(tokenizer, token));
  if (own == id) return {};
  return fail(Code::invalid_file, where, fmt::format("{}, the id of {} in {}", own, token, tokenizer.source()),
              fmt::format("{}", id), "configuration and tokenizer belong to different models");
}

Result<std::vector<int64_t>> n17_prompt(const Tokenizer& tokenizer, std::span<const Grid> images,
                                        std::string_view instruction) {
  std::vector<PromptPart> parts;
  for (const Grid& grid : images) parts.emplace_back(ImagePart{grid});
  parts.emplace_back(TextPart{std::string(instruction)});
  return chat_prompt(tokenizer, parts, {.generation_prompt = false});
}

Result<std::vector<int64_t>> chat_prompt(const Tokenizer& tokenizer, std::span<const PromptPart> parts,
                                         const ChatOptions& options) {
  RAMET_TRY(const SpecialTokens special, special_tokens(tokenizer));
  PromptWriter writer(tokenizer, special);
  RAMET_TRY_STATUS(writer.begin_turn("user"));
  for (const PromptPart& part : parts) RAMET_TRY_STATUS(write_part(part, options.video_wrap, special, writer));
  RAMET_TRY_STATUS(writer.end_turn());
  if (options.generation_prompt) RAMET_TRY_STATUS(writer.begin_turn("assistant"));
  return std::move(writer).finish();
}

}  // namespace ramet
