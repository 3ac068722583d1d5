// PNG and JPEG to 8-bit RGB.
//
// PNG of every colour type and depth: grey is copied to three channels, palettes are looked up, of 16 bits the upper 8
// stay. A colour key of a grey or RGB picture is not an alpha channel: its colour stays. Colour profiles, gamma and
// EXIF orientation are not applied, as the reference processors do not. Of an animation the first picture is taken.
// JPEG: baseline and progressive, grey or colour; CMYK is refused. Decoded like Pillow does (accurate DCT, smooth
// chroma).
//
// The size is read from the header and checked before pixels are allocated. A file that is cut, or that its library
// only reads with a warning about damaged data, is an error.
// Errors, `where` naming the file: invalid_file, unsupported, invalid_value (too large), not_found, no_memory.
// Source: spec image-resampling, section 3.
#pragma once

#include "policy/image/image.h"

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

namespace ramet {

// What an alpha channel (RGBA, grey with alpha, transparent palette) means.
enum class AlphaPolicy {
  compose_on_white,  // round((colour * a + 255 * (255 - a)) / 255), as transformers 5 does
  drop,              // the hidden colour, as transformers 4 did
};

struct DecodeOptions {
  AlphaPolicy alpha = AlphaPolicy::compose_on_white;
  int64_t max_side = 16384;
  int64_t max_pixels = Image::kMaxPixels;
};

// `name` stands for the file in errors.
Result<Image> decode_image(std::span<const std::byte> bytes, const std::string& name,
                           const DecodeOptions& options = {});
Result<Image> read_image(const std::filesystem::path& path, const DecodeOptions& options = {});

}  // namespace ramet
