// Any bytes through the decoders; what decodes and is small goes through every resampler and the patch rows.
#include "policy/image/decode.h"
#include "policy/image/patch_rows.h"
#include "policy/image/resample.h"

#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace ramet;
  constexpr DecodeOptions kSmall{.max_side = 2048, .max_pixels = 1 << 18};
  const auto image = decode_image(std::as_bytes(std::span(data, size)), "fuzz", kSmall);
  if (!image) return 0;
  using enum Resampler;
  for (const Resampler resampler :
       {torch_bicubic, torch_bilinear, pillow_bicubic, pillow12_bicubic, cv_area, cv_linear})
    for (const ImageSize to : {ImageSize{1, 1}, {32, 48}, {image->height() / 2 + 1, image->width() + 3}})
      if (!resize(*image, to, resampler)) __builtin_trap();
  static_cast<void>(image_patch_rows({&*image, 1}, {.budget = {1024, 65536}}));
  return 0;
}
