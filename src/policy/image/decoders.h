// The parts of decode.h: one function a format, which trusts nothing but the first bytes.
#pragma once

#include "policy/image/decode.h"

namespace ramet {

// Errors: invalid_value when a picture of this size must not be decoded.
Status check_decoded_size(ImageSize size, const std::string& name, const DecodeOptions& options);

Result<Image> decode_png(std::span<const std::byte> bytes, const std::string& name, const DecodeOptions& options);
Result<Image> decode_jpeg(std::span<const std::byte> bytes, const std::string& name, const DecodeOptions& options);

}  // namespace ramet
