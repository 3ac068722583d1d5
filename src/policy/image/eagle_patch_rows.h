// The image processor of Eagle 2 (GR00T N1.6): pictures to the rows of patches that SigLIP2 embeds.
//
//   picture -> sides that are multiples of 28 (pillow12_bicubic) -> (u - 127.5) / 127.5 -> patches of 14 x 14
//
// Row order: patches from left to right and top to bottom, picture after picture. Columns: (y * 14 + x) * 3 + channel.
// Source: spec gr00t-n1.6, sections 4.2 and 5.1.
#pragma once

#include "policy/image/patch_rows.h"

namespace ramet {

inline constexpr int64_t kEaglePatchSize = 14;

// Errors: usage (no picture), invalid_value (aspect ratio, a side over 7000), no_memory.
Result<PatchRows> eagle_patch_rows(std::span<const Image> images);

// The resized picture itself.
Result<Image> eagle_resize(const Image& image);

// The same numbers as planes [pictures, 3, height, width], as the original hands them to its tower. All pictures have
// one grid. Errors: no_memory.
Result<Buffer> pixel_planes(ConstView rows, std::span<const Grid> grids);

}  // namespace ramet
