// The prompt of GR00T N1.5 as token ids.
//
//   <|im_start|>system\nYou are a helpful assistant.<|im_end|>\n
//   <|im_start|>user\n  { <image I><img> <IMG_CONTEXT> x tokens </img> } for I = 1, 2, ...  TEXT<|im_end|>\n
//   <|im_start|>assistant\n
//
// TEXT is the instruction, by default in the form that a request of the usual clients has when it reaches the
// tokenizer: the Python representation of a list of one string. Source: spec gr00t-n1.5, section 5.4.
#pragma once

#include "policy/text/tokenizer.h"

#include <ramet/error.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ramet {

inline constexpr std::string_view kImageContext = "<IMG_CONTEXT>";
inline constexpr int64_t kImageContextId = 151669;

// "['pick up the block']", with Python's choice of quotes and its escapes. `text` is UTF-8.
std::string list_of_one(std::string_view text);

struct EaglePictures {
  int64_t count = 0;
  int64_t tokens_each = 256;
};

enum class InstructionForm { list_of_one, plain };

// Errors: invalid_value for text that is not UTF-8, or that spells a picture: <IMG_CONTEXT>, <img>, </img>, <image-1>.
Result<std::vector<int64_t>> n15_prompt(const Tokenizer& tokenizer, const EaglePictures& pictures,
                                        std::string_view instruction, InstructionForm form);

}  // namespace ramet
