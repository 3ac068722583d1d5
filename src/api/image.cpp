#include <ramet/image.h>

#include "api/guard.h"
#include "policy/image/decode.h"

namespace ramet {

Result<RgbImage> load_image(const std::filesystem::path& path) {
  return guarded([&]() -> Result<RgbImage> {
    RAMET_TRY(const Image image, read_image(path));
    const auto bytes = image.bytes();
    return RgbImage{.rgb = {bytes.begin(), bytes.end()}, .height = image.height(), .width = image.width()};
  });
}

}  // namespace ramet
