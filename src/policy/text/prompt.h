// Prompts as token ids: what the chat templates of GR00T N1.7 and Qwen3-VL render, without a template engine.
//
//   n17_prompt    <|im_start|>user\n  IMAGE...  instruction  <|im_end|>\n
//   chat_prompt   <|im_start|>user\n  part...  <|im_end|>\n  [<|im_start|>assistant\n]
//
//   IMAGE         <|vision_start|> <|image_pad|> x h*w/4 <|vision_end|>
//   VIDEO         per frame group: "<S.S seconds>" <|vision_start|> <|video_pad|> x h*w/4 <|vision_end|>
//                 all of it between one more <|vision_start|> and <|vision_end|> with VideoWrap::keep_outer
//
// Nothing stands between the parts, and text that touches is encoded as one. Texts may spell added tokens, as in the
// reference, except the two pads: they would not match any picture.
// Errors: invalid_value (text that is not UTF-8 or holds a pad, grids, stamps), not_found (a tokenizer without the
// special tokens).
// Source: spec gr00t-n1.7, section 3.4; qwen3-vl, sections 4.5 and 5.1.
#pragma once

#include "policy/text/tokenizer.h"
#include "tensor/grid.h"

#include <ramet/error.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ramet {

struct SpecialTokens {
  int64_t endoftext = 0;  // pads batches
  int64_t im_start = 0;
  int64_t im_end = 0;
  int64_t vision_start = 0;
  int64_t vision_end = 0;
  int64_t image_pad = 0;
  int64_t video_pad = 0;
};
Result<SpecialTokens> special_tokens(const Tokenizer& tokenizer);

// Ids that config.json repeats must be those of the tokenizer. Errors: invalid_file at `where`, "config.json: KEY".
Status check_special_token(const Tokenizer& tokenizer, std::string_view token, int64_t id, const std::string& where);

// The instruction is taken as it is; formalize.h comes before.
Result<std::vector<int64_t>> n17_prompt(const Tokenizer& tokenizer, std::span<const Grid> images,
                                        std::string_view instruction);

struct TextPart {
  std::string text;
};
struct ImagePart {
  Grid grid;  // t = 1
};
struct VideoPart {
  Grid grid;
  std::vector<double> stamps_s;  // one for each frame group
};
using PromptPart = std::variant<TextPart, ImagePart, VideoPart>;

enum class VideoWrap {
  keep_outer,      // transformers 5
  replace_triple,  // transformers 4: two tokens fewer
};
struct ChatOptions {
  VideoWrap video_wrap = VideoWrap::keep_outer;
  bool generation_prompt = true;
};
// One user turn.
Result<std::vector<int64_t>> chat_prompt(const Tokenizer& tokenizer, std::span<const PromptPart> parts,
                                         const ChatOptions& options = {});

}  // namespace ramet
