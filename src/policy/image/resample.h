// Resizing of 8-bit pictures, byte for byte like the libraries of the reference processors.
//
//   torch_*    torchvision v2 resize of uint8 on a CPU, antialias on
//   pillow_*   PIL.Image.resize of Pillow 13, which for some shapes runs the vertical pass first
//   pillow12_* the same until Pillow 12.3: always the horizontal pass first
//   cv_area    cv2.resize(INTER_AREA), x86-64
//   cv_linear  cv2.resize(INTER_LINEAR), x86-64
//
// Source: spec image-resampling, sections 1 and 2.
#pragma once

#include "policy/image/image.h"

namespace ramet {

enum class Resampler {
  torch_bicubic,
  torch_bilinear,
  pillow_bicubic,
  pillow_bilinear,
  pillow12_bicubic,
  pillow12_bilinear,
  cv_area,
  cv_linear,
};

// A copy when the size does not change. Errors: invalid_value (a size no Image may have), no_memory.
Result<Image> resize(const Image& image, ImageSize size, Resampler resampler);

}  // namespace ramet
