#include "policy/image/image.h"

#include <fmt/format.h>

#include <algorithm>

namespace ramet {
namespace {

bool fits(ImageSize part, PixelPosition at, ImageSize whole) {
  return at.top >= 0 && at.left >= 0 && part.height <= whole.height - at.top && part.width <= whole.width - at.left;
}

tl::unexpected<Error> does_not_fit(const char* what, ImageSize part, PixelPosition at, ImageSize whole) {
  return fail(Code::invalid_value, what, fmt::format("a part of a {} picture", str(whole)),
              fmt::format("{} at row {}, column {}", str(part), at.top, at.left));
}

}  // namespace

std::string str(ImageSize size) { return fmt::format("{}x{}", size.height, size.width); }

Result<Image> Image::make(ImageSize size) {
  const auto side_fits = [](int64_t side) { return side >= 1 && side <= kMaxSide; };
  if (!side_fits(size.height) || !side_fits(size.width) || size.height * size.width > kMaxPixels)
    return fail(Code::invalid_value, "picture size",
                fmt::format("1 to {} rows and columns, at most {} pixels", kMaxSide, kMaxPixels), str(size));
  RAMET_TRY(Buffer pixels, Buffer::make(DType::u8, {size.height, size.width, kChannels}));
  return Image(std::move(pixels));
}

Result<Image> Image::copy_of(ImageSize size, std::span<const uint8_t> rgb) {
  RAMET_TRY(Image image, make(size));
  if (rgb.size() != image.bytes().size())
    return fail(Code::shape_mismatch, "picture", fmt::format("{} bytes for {} RGB", image.bytes().size(), str(size)),
                fmt::format("{} bytes", rgb.size()));
  std::copy(rgb.begin(), rgb.end(), image.bytes().begin());
  return image;
}

Result<Image> crop(const Image& image, ImageSize size, PixelPosition at) {
  if (!fits(size, at, image.size())) return does_not_fit("crop", size, at, image.size());
  RAMET_TRY(Image part, Image::make(size));
  for (int64_t y = 0; y < size.height; ++y)
    std::copy_n(image.row(at.top + y) + at.left * Image::kChannels, part.row_bytes(), part.row(y));
  return part;
}

Result<Image> pad(const Image& image, ImageSize size, PixelPosition at) {
  if (!fits(image.size(), at, size)) return does_not_fit("pad", image.size(), at, size);
  RAMET_TRY(Image padded, Image::make(size));
  for (int64_t y = 0; y < image.height(); ++y)
    std::copy_n(image.row(y), image.row_bytes(), padded.row(at.top + y) + at.left * Image::kChannels);
  return padded;
}

Result<Image> letterbox(const Image& image) {
  const int64_t side = std::max(image.height(), image.width());
  return pad(image, {side, side}, {(side - image.height()) / 2, (side - image.width()) / 2});
}

}  // namespace ramet
