#include "policy/image/decode.h"

#include "base/mapped_file.h"
#include "policy/image/decoders.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace ramet {
namespace {

constexpr std::array<uint8_t, 8> kPngSignature{0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
constexpr std::array<uint8_t, 3> kJpegSignature{0xFF, 0xD8, 0xFF};

template <size_t N>
bool starts_with(std::span<const std::byte> bytes, const std::array<uint8_t, N>& signature) {
  return bytes.size() >= N && std::equal(signature.begin(), signature.end(), bytes.begin(),
                                         [](uint8_t a, std::byte b) { return a == std::to_integer<uint8_t>(b); });
}

std::string first_bytes(std::span<const std::byte> bytes) {
  if (bytes.empty()) return "an empty file";
  std::string text = "bytes";
  for (const std::byte b : bytes.first(std::min<size_t>(bytes.size(), kPngSignature.size())))
    text += fmt::format(" {:02x}", std::to_integer<int>(b));
  return text;
}

}  // namespace

Status check_decoded_size(ImageSize size, const std::string& name, const DecodeOptions& options) {
  const auto side_fits = [&](int64_t side) { return side >= 1 && side <= options.max_side; };
  if (side_fits(size.height) && side_fits(size.width) && size.height * size.width <= options.max_pixels) return {};
  return fail(Code::invalid_value, name,
              fmt::format("a picture of at most {} a side and {} pixels", options.max_side, options.max_pixels),
              str(size), "scale it down first");
}

Result<Image> decode_image(std::span<const std::byte> bytes, const std::string& name, const DecodeOptions& options) {
  if (starts_with(bytes, kPngSignature)) return decode_png(bytes, name, options);
  if (starts_with(bytes, kJpegSignature)) return decode_jpeg(bytes, name, options);
  return fail(Code::invalid_file, name, "a PNG or JPEG picture", first_bytes(bytes));
}

Result<Image> read_image(const std::filesystem::path& path, const DecodeOptions& options) {
  RAMET_TRY(const MappedFile file, MappedFile::open(path));
  return decode_image(file.bytes(), path.string(), options);
}

}  // namespace ramet
