#include "policy/image/test_support.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <zlib.h>

#include <algorithm>
#include <array>

namespace ramet::test {
namespace {

constexpr uint64_t kGolden = 0x9E3779B97F4A7C15;

uint64_t mix64(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

std::string big_endian(uint32_t value) {
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(value >> shift & 0xFF);
  return text;
}

const Bytef* bytef(const std::string& text) { return reinterpret_cast<const Bytef*>(text.data()); }

}  // namespace

std::string sha256(std::span<const std::byte> bytes) {
  std::array<unsigned char, 32> digest{};
  EVP_Digest(bytes.data(), bytes.size(), digest.data(), nullptr, EVP_sha256(), nullptr);
  return fmt::format("{:02x}", fmt::join(digest, ""));
}

Image golden_picture(const std::string& formula, ImageSize size, int64_t channels, uint64_t seed) {
  return picture(size, [&](int64_t y, int64_t x, int64_t c) -> uint64_t {
    c = std::min(c, channels - 1);
    if (formula == "ramp") return static_cast<uint64_t>((17 * y + 31 * x + 71 * c) % 256);
    const auto i = static_cast<uint64_t>((y * size.width + x) * channels + c);
    return mix64(seed * kGolden + (i + 1) * kGolden) >> 56;
  });
}

std::vector<int> channel(const Image& image, int64_t c) {
  std::vector<int> values;
  for (size_t i = static_cast<size_t>(c); i < image.bytes().size(); i += 3) values.push_back(image.bytes()[i]);
  return values;
}

PngFile::PngFile(uint32_t width, uint32_t height, int bit_depth, int colour_type) : bytes_("\x89PNG\r\n\x1A\n") {
  std::string header = big_endian(width) + big_endian(height);
  header += {static_cast<char>(bit_depth), static_cast<char>(colour_type), 0, 0, 0};
  chunk("IHDR", header);
}

PngFile& PngFile::chunk(const std::string& type, const std::string& content) {
  const std::string body = type + content;
  const uLong sum = crc32(0, bytef(body), static_cast<uInt>(body.size()));
  bytes_ += big_endian(static_cast<uint32_t>(content.size())) + body + big_endian(static_cast<uint32_t>(sum));
  return *this;
}

PngFile& PngFile::pixels(const std::string& raw_rows) {
  uLongf size = compressBound(raw_rows.size());
  std::string packed(size, '\0');
  compress(reinterpret_cast<Bytef*>(packed.data()), &size, bytef(raw_rows), raw_rows.size());
  packed.resize(size);
  return chunk("IDAT", packed);
}

std::string PngFile::end() {
  chunk("IEND", "");
  return bytes_;
}

}  // namespace ramet::test
