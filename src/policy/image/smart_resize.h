// The size at which a Qwen vision tower sees a picture or a video: sides that are multiples of
// factor = patch_size * merge_size, the aspect ratio nearly kept, the area within a budget.
//
//   side' = rne(side / factor) * factor
//   area too large:  beta = sqrt(area / max_pixels),  side' = max(factor, floor(side / beta / factor) * factor)
//   area too small:  beta = sqrt(min_pixels / area),  side' = ceil(side * beta / factor) * factor
//
// Source: spec qwen3-vl, sections 4.2 and 4.3.
#pragma once

#include "policy/image/image.h"

namespace ramet {

// Limits of an area in pixels; for a video, of frames * height * width.
struct PixelBudget {
  int64_t min_pixels = 0;
  int64_t max_pixels = 0;

  friend bool operator==(const PixelBudget&, const PixelBudget&) = default;
};

// 0 < min_pixels <= max_pixels <= 2^40. Errors: invalid_value.
Status check(PixelBudget budget, const std::string& where);

// Errors: invalid_value (aspect ratio above 200, or a budget that check refuses).
Result<ImageSize> smart_resize(ImageSize size, int64_t factor, PixelBudget budget);

struct VideoSizeRule {
  int64_t factor = 32;
  int64_t temporal_patch_size = 2;
  PixelBudget budget;
  bool cap_pixels_per_frame = false;  // limits the area of one frame of a short video
};

// `frames` counts the sampled frames, before any is repeated to fill the last group. The area is
// rne(frames / temporal_patch_size) * temporal_patch_size * height' * width', but beta uses `frames` itself.
// Errors: invalid_value (fewer frames than temporal_patch_size, aspect ratio, budget).
Result<ImageSize> smart_resize_video(int64_t frames, ImageSize size, const VideoSizeRule& rule);

}  // namespace ramet
