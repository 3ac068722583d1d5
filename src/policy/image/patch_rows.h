// The Qwen image processor: pictures to the rows of patches that the vision tower embeds.
//
//   picture -> smart_resize -> (u - 255 mean) / (255 std) in float32 -> rows of patches
//
// Row order: windows of merge_size x merge_size patches from left to right and top to bottom, the patches of a window
// alike, so that merge_size^2 consecutive rows are one token. Columns: ((channel * temporal_patch_size + frame) *
// patch_size + y) * patch_size + x. A picture stands for all frames of its group.
//
// Source: spec qwen3-vl, sections 3.2 and 4.4; spec gr00t-n1.7, section 3.3.
#pragma once

#include "policy/image/qwen_config.h"
#include "tensor/buffer.h"
#include "tensor/grid.h"

#include <array>
#include <span>
#include <vector>

namespace ramet {

struct PatchRows {
  Buffer pixels;            // f32 [patches, 3 * temporal_patch_size * patch_size^2], picture after picture
  std::vector<Grid> grids;  // one for each picture or video
};

// Errors: usage (no picture), invalid_value naming the picture by its number (aspect ratio, size), no_memory.
Result<PatchRows> image_patch_rows(std::span<const Image> images, const QwenImageProcessorConfig& config);

// `frames`: the sampled frames of one video, of one size. The last one is repeated to fill the last group.
// Errors: as above; invalid_value (too few frames), shape_mismatch (frames of several sizes).
Result<PatchRows> video_patch_rows(std::span<const Image> frames, const QwenVideoProcessorConfig& config);

// What the tower gets for each byte value of a channel.
//   torchvision:  (u - mean / rescale) / (std / rescale)        every step in float32
//   pillow:       (float(u * rescale in double) - mean) / std
using ByteTable = std::array<float, 256>;
ByteTable normalised_bytes(const QwenImageProcessorConfig& config, size_t channel);

}  // namespace ramet
