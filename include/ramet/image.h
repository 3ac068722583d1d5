// Pictures from PNG and JPEG files.
#pragma once

#include <ramet/types.h>

namespace ramet {

// 8-bit RGB that owns its pixels.
struct RgbImage {
  std::vector<uint8_t> rgb;  // height * width * 3
  int64_t height = 0;
  int64_t width = 0;

  ImageView view() const { return {rgb, height, width}; }
};

// Transparent pictures are composed on white. Errors name the file: not_found, invalid_file, unsupported,
// invalid_value (too large), no_memory.
Result<RgbImage> load_image(const std::filesystem::path& path);

}  // namespace ramet
