// The prompt of GR00T N1.6 as token ids.
//
//   <|im_start|>system\nYou are a helpful assistant.<|im_end|>\n
//   <|im_start|>user\nTEXT { <image K><img> <IMG_CONTEXT> x tokens </img> }<|im_end|>\n        K = 1, 2, ...
//
// "<image K>" is ordinary text and merges with what stands before it.  Source: spec gr00t-n1.6, section 5.2.
#pragma once

#include "policy/text/tokenizer.h"
#include "tensor/grid.h"

#include <ramet/error.h>

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace ramet {

inline constexpr std::string_view kEagleImageContext = "<IMG_CONTEXT>";

// Both Eagle templates ask for a picture by <image-N>. Errors: invalid_value for text that spells one.
Status refuse_picture_placeholder(std::string_view text);

// The instruction is taken as it is; formalize.h comes before. `images`: grids of patches, 2 x 2 for each token.
// Errors: invalid_value for text that is not UTF-8, or spells a special token or the placeholder <image-N>.
Result<std::vector<int64_t>> n16_prompt(const Tokenizer& tokenizer, std::span<const Grid> images,
                                        std::string_view instruction);

}  // namespace ramet
