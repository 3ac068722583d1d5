// From a camera's frame to what SigLIP sees, bit for bit as the original's torchvision pipeline on a CPU with AVX2.
//
//   f = u8 / 255;  centre crop of trunc(0.95 side);  bilinear resize with antialias to 224 x 224 in float32
//   u = trunc(255 f);  p = (u - 127.5) / 127.5
//
// The truncation makes flat areas lose a level, so the sums of the resize run in torch's order: per axis, width first,
//
//   scale = n / 224    support = max(scale, 1)    c = f32(scale (i + 0.5))    lo = max(0, trunc(f32(c - support) +
//   0.5)) w_j = max(0, 1 - |(lo + j - c + 0.5) / support|) / sum a_0 w_0, then taps in groups of four with rounded
//   products, the last taps (fewer than four) fused
//
// Source: spec gr00t-n1.5, sections 2.4 and 5.2.
#pragma once

#include "policy/image/image.h"

#include <vector>

namespace ramet {

inline constexpr int64_t kSiglipSide = 224;

// The picture before the last step: [224, 224]. Errors: no_memory.
Result<Image> siglip_frame(const Image& frame);

// LeRobot's: the whole picture, bicubic with antialias on bytes. [224, 224]. Errors: no_memory.
Result<Image> lerobot_frame(const Image& frame);

// [pictures, 3, 224, 224] f32. Errors: no_memory; `frames` come from siglip_frame or lerobot_frame.
Result<Buffer> siglip_pixels(const std::vector<Image>& frames);

}  // namespace ramet
