#include "policy/image/decoders.h"

#include <turbojpeg.h>

#include <memory>
#include <type_traits>

namespace ramet {
namespace {

struct Close {
  void operator()(void* decoder) const { tjDestroy(decoder); }
};
using Decoder = std::unique_ptr<std::remove_pointer_t<tjhandle>, Close>;

const unsigned char* data(std::span<const std::byte> bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

tl::unexpected<Error> damaged(const Decoder& decoder, const std::string& name) {
  return fail(Code::invalid_file, name, "an intact JPEG picture", tjGetErrorStr2(decoder.get()));
}

Result<ImageSize> read_size(const Decoder& decoder, std::span<const std::byte> bytes, const std::string& name) {
  int width = 0;
  int height = 0;
  int subsampling = 0;
  int colour_space = 0;
  if (tjDecompressHeader3(decoder.get(), data(bytes), bytes.size(), &width, &height, &subsampling, &colour_space) != 0)
    return damaged(decoder, name);
  if (width < 1 || height < 1) return fail(Code::invalid_file, name, "a JPEG picture", "tables alone");
  if (colour_space == TJCS_CMYK || colour_space == TJCS_YCCK)
    return fail(Code::unsupported, name, "a grey or RGB picture", "CMYK", "convert it to RGB first");
  return ImageSize{height, width};
}

}  // namespace

Result<Image> decode_jpeg(std::span<const std::byte> bytes, const std::string& name, const DecodeOptions& options) {
  const Decoder decoder(tjInitDecompress());
  if (!decoder) return fail(Code::no_memory, name, "memory for a JPEG decoder", "none");
  RAMET_TRY(const ImageSize size, read_size(decoder, bytes, name));
  RAMET_TRY_STATUS(check_decoded_size(size, name, options));
  RAMET_TRY(Image image, Image::make(size));
  // A cut file is a warning to the library, which would go on and fill the rest with grey.
  constexpr int kFlags = TJFLAG_ACCURATEDCT | TJFLAG_STOPONWARNING | TJFLAG_LIMITSCANS;
  if (tjDecompress2(decoder.get(), data(bytes), bytes.size(), image.bytes().data(), static_cast<int>(size.width),
                    static_cast<int>(image.row_bytes()), static_cast<int>(size.height), TJPF_RGB, kFlags) != 0)
    return damaged(decoder, name);
  return image;
}

}  // namespace ramet
