// The patch grid of one picture, or of the frames of one video, as a Qwen vision tower sees it (`grid_thw`).
#pragma once

#include <cstdint>

namespace ramet {

struct Grid {
  int64_t t = 1;  // frame groups: frames / temporal_patch_size
  int64_t h = 0;  // rows of patches, before merging
  int64_t w = 0;  // columns of patches, before merging

  int64_t patches() const { return t * h * w; }
  friend bool operator==(const Grid&, const Grid&) = default;
};

// What fills a group of frames: a still picture, over and over, or pictures of a video.
enum class Frames { repeated, distinct };

}  // namespace ramet
