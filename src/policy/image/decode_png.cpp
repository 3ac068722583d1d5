#include "policy/image/decoders.h"

#include <fmt/format.h>
#include <png.h>

#include <csetjmp>
#include <cstring>
#include <string_view>

namespace ramet {
namespace {

constexpr int64_t kRgba = 4;
constexpr png_alloc_size_t kMaxChunkBytes = 1 << 20;  // of a chunk that libpng keeps in memory

struct Source {
  std::span<const std::byte> rest;
  char problem[128] = "";
};

// libpng reports errors by longjmp. It may only leave frames without destructors: these callbacks, libpng, and the
// steps given to `guarded`.
void report(png_structp png, png_const_charp text) {
  auto& source = *static_cast<Source*>(png_get_error_ptr(png));
  std::strncpy(source.problem, text, sizeof source.problem - 1);
  png_longjmp(png, 1);
}

void ignore_warning(png_structp, png_const_charp) {}

void read_bytes(png_structp png, png_bytep out, size_t count) {
  auto& source = *static_cast<Source*>(png_get_io_ptr(png));
  if (count > source.rest.size()) png_error(png, "the file ends too early");
  std::memcpy(out, source.rest.data(), count);
  source.rest = source.rest.subspan(count);
}

template <class Step>
bool guarded(png_structp png, const Step& step) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  step();
  return true;
}

struct Reader {
  explicit Reader(Source& source)
      : png(png_create_read_struct(PNG_LIBPNG_VER_STRING, &source, report, ignore_warning)) {
    if (png) info = png_create_info_struct(png);
  }
  ~Reader() { png_destroy_read_struct(&png, &info, nullptr); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  png_structp png = nullptr;
  png_infop info = nullptr;
};

void read_header(png_structp png, png_infop info, Source* source) {
  png_set_read_fn(png, source, read_bytes);
  png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);  // check_decoded_size says more
  png_set_chunk_malloc_max(png, kMaxChunkBytes);
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);  // all but the pixels and what they mean
  png_read_info(png, info);
}

// Every colour type becomes RGB, or RGBA where it has an alpha channel or a transparent palette.
void ask_for_rgb(png_structp png, png_infop info) {
  const int colour_type = png_get_color_type(png, info);
  if (colour_type == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png);
  if (colour_type == PNG_COLOR_TYPE_GRAY) png_set_expand_gray_1_2_4_to_8(png);
  if ((colour_type & PNG_COLOR_MASK_COLOR) == 0) png_set_gray_to_rgb(png);
  png_set_strip_16(png);
}

void read_rows(png_structp png, png_infop info, uint8_t* pixels, int64_t row_bytes, int64_t height, int passes) {
  for (int pass = 0; pass < passes; ++pass)
    for (int64_t y = 0; y < height; ++y) png_read_row(png, pixels + y * row_bytes, nullptr);
  png_read_end(png, info);
}

// round(x / 255) for 0 <= x <= 255 * 255
int divide_by_255(int x) { return (x + 128 + ((x + 128) >> 8)) >> 8; }

uint8_t on_white(uint8_t colour, uint8_t alpha) {
  return static_cast<uint8_t>(divide_by_255(colour * alpha + 255 * (255 - alpha)));
}

Result<Image> remove_alpha(ConstView rgba, AlphaPolicy policy) {
  RAMET_TRY(Image image, Image::make({rgba.shape()[0], rgba.shape()[1]}));
  const uint8_t* in = rgba.data<uint8_t>();
  for (uint8_t* out = image.bytes().data(); out < image.bytes().data() + image.bytes().size(); out += 3, in += kRgba)
    for (int c = 0; c < 3; ++c) out[c] = policy == AlphaPolicy::drop ? in[c] : on_white(in[c], in[kRgba - 1]);
  return image;
}

}  // namespace

Result<Image> decode_png(std::span<const std::byte> bytes, const std::string& name, const DecodeOptions& options) {
  Source source{bytes};
  const auto damaged = [&] { return fail(Code::invalid_file, name, "an intact PNG picture", source.problem); };
  Reader reader(source);
  const png_structp png = reader.png;
  const png_infop info = reader.info;
  if (!png || !info) return fail(Code::no_memory, name, "memory for a PNG decoder", "none");

  if (!guarded(png, [&] { read_header(png, info, &source); })) return damaged();
  const ImageSize size{png_get_image_height(png, info), png_get_image_width(png, info)};
  RAMET_TRY_STATUS(check_decoded_size(size, name, options));

  int passes = 0;
  if (!guarded(png, [&] {
        ask_for_rgb(png, info);
        passes = png_set_interlace_handling(png);
        png_read_update_info(png, info);
      }))
    return damaged();
  const int64_t channels = png_get_channels(png, info);
  const int64_t row_bytes = size.width * channels;
  RAMET_ASSERT(static_cast<int64_t>(png_get_rowbytes(png, info)) == row_bytes, row_bytes, channels);

  RAMET_TRY(Buffer pixels, Buffer::make(DType::u8, {size.height, size.width, channels}));
  uint8_t* const first = pixels.flat<uint8_t>().data();
  if (!guarded(png, [&] { read_rows(png, info, first, row_bytes, size.height, passes); })) return damaged();
  if (channels == kRgba) return remove_alpha(pixels.view(), options.alpha);
  return Image::copy_of(size, pixels.flat<uint8_t>());
}

}  // namespace ramet
