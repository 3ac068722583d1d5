// Positions of prompt tokens for multimodal RoPE: time, row and column of each token.
//
//   text            (next, next, next), then next += 1
//   token (b, c) of an image of gh x gw merged patches, or of one frame group of a video:
//                   (next, next + b, next + c), after the whole run next += max(gh, gw)
//
// gh = h / 2 and gw = w / 2. A video of t frame groups is t runs; its time is in the text between them. Generated
// token n of a prompt of `tokens` tokens has the position tokens + n + delta on all three axes.
// Source: spec qwen3-vl, section 5.3.
#pragma once

#include "tensor/grid.h"

#include <ramet/error.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ramet {

inline constexpr int64_t kSpatialMerge = 2;  // patches of one token, along each side

struct MropePositions {
  std::vector<int64_t> values;  // [3, tokens]: all T, all H, all W
  int64_t delta = 0;            // largest position + 1 - tokens; at most 0
};

struct VisionPads {
  int64_t image = 0;  // id of <|image_pad|>
  int64_t video = 0;  // id of <|video_pad|>
};

// Errors: invalid_value when the runs of pads in `ids` are not exactly the tokens of the grids, in order.
Result<MropePositions> mrope_positions(std::span<const int64_t> ids, const VisionPads& pads,
                                       std::span<const Grid> images, std::span<const Grid> videos = {});

// Errors: invalid_value at `where` unless h and w are even, all extents positive and the patches below 2^28.
Status check_grid(const Grid& grid, const std::string& where);

// Tokens of one frame group of a checked grid.
inline int64_t merged_tokens(const Grid& grid) { return (grid.h / kSpatialMerge) * (grid.w / kSpatialMerge); }

}  // namespace ramet
