// Pictures as every processor takes them: 8-bit RGB, rows from the top, [height, width, 3].
//
// Any picture, also an intermediate one, has at least one pixel, at most Image::kMaxSide a side and Image::kMaxPixels
// in all; what would be larger is an error, so that no size read from a file leads to an unbounded allocation.
#pragma once

#include "tensor/buffer.h"

#include <ramet/error.h>

#include <cstdint>
#include <span>
#include <string>

namespace ramet {

struct ImageSize {
  int64_t height = 0;
  int64_t width = 0;

  friend bool operator==(const ImageSize&, const ImageSize&) = default;
};

std::string str(ImageSize size);  // "480x640", height first

struct PixelPosition {
  int64_t top = 0;
  int64_t left = 0;
};

class Image {
 public:
  static constexpr int64_t kChannels = 3;
  static constexpr int64_t kMaxSide = int64_t{1} << 17;
  static constexpr int64_t kMaxPixels = int64_t{1} << 26;

  // Black. Errors: invalid_value (size out of range), no_memory.
  static Result<Image> make(ImageSize size);
  // rgb: height * width * 3 bytes. Errors: as make; shape_mismatch.
  static Result<Image> copy_of(ImageSize size, std::span<const uint8_t> rgb);
  Result<Image> clone() const { return copy_of(size(), bytes()); }

  ImageSize size() const { return {height(), width()}; }
  int64_t height() const { return pixels_.shape()[0]; }
  int64_t width() const { return pixels_.shape()[1]; }
  int64_t row_bytes() const { return width() * kChannels; }

  std::span<uint8_t> bytes() { return pixels_.flat<uint8_t>(); }
  std::span<const uint8_t> bytes() const { return pixels_.flat<uint8_t>(); }
  uint8_t* row(int64_t y) { return bytes().data() + y * row_bytes(); }
  const uint8_t* row(int64_t y) const { return bytes().data() + y * row_bytes(); }

 private:
  explicit Image(Buffer pixels) : pixels_(std::move(pixels)) {}
  Buffer pixels_;
};

// The part of `image` whose upper left pixel is `at`. Errors: invalid_value when it reaches outside.
Result<Image> crop(const Image& image, ImageSize size, PixelPosition at);

// `image` at `at` in a black picture of `size`. Errors: invalid_value when it does not fit.
Result<Image> pad(const Image& image, ImageSize size, PixelPosition at);

// Padded to a square of the longer side; an odd row or column of padding goes below or to the right.
Result<Image> letterbox(const Image& image);

}  // namespace ramet
