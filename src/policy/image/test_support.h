// Pictures by formula, hand-made PNG files and hashes for the tests of this folder.
#pragma once

#include "base/json.h"
#include "policy/image/image.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace ramet::test {

// Lower-case hexadecimal SHA-256.
std::string sha256(std::span<const std::byte> bytes);
template <class T>
std::string sha256_of(std::span<T> values) {
  return sha256(std::as_bytes(values));
}

// Byte i is `byte(y, x, c)`.
template <class Byte>
Image picture(ImageSize size, const Byte& byte) {
  Image image = Image::make(size).value();
  for (int64_t y = 0; y < size.height; ++y)
    for (int64_t x = 0; x < size.width; ++x)
      for (int64_t c = 0; c < 3; ++c) image.row(y)[3 * x + c] = static_cast<uint8_t>(byte(y, x, c));
  return image;
}
// The formulas "ramp" and "noise" of the resampling and Qwen goldens; with one channel, grey.
Image golden_picture(const std::string& formula, ImageSize size, int64_t channels, uint64_t seed);

// The entries of a list in a golden's JSON.
inline std::vector<Json> entries(const Json& node, const char* key) { return node.at(key).value().elements().value(); }

// The bytes of one channel, row after row.
std::vector<int> channel(const Image& image, int64_t c);

// A PNG file from its parts: the chunks are what a test says, their lengths and sums are right.
class PngFile {
 public:
  PngFile(uint32_t width, uint32_t height, int bit_depth, int colour_type);
  PngFile& chunk(const std::string& type, const std::string& content);
  PngFile& pixels(const std::string& raw_rows);  // each row starts with its filter byte
  std::string end();                             // the whole file

 private:
  std::string bytes_;
};

inline std::span<const std::byte> as_bytes(const std::string& text) { return std::as_bytes(std::span(text)); }

}  // namespace ramet::test
