#include "policy/image/decode.h"

#include "policy/image/test_support.h"
#include "support/assertions.h"

#include <gmock/gmock.h>
#include <turbojpeg.h>

#include <filesystem>
#include <fstream>

namespace ramet {
namespace {

using namespace std::string_literals;
using test::PngFile;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;

constexpr int kGrey = 0;
constexpr int kRgb = 2;
constexpr int kPalette = 3;
constexpr int kGreyAlpha = 4;
constexpr int kRgbAlpha = 6;

Result<Image> decode(const std::string& bytes, const DecodeOptions& options = {}) {
  return decode_image(test::as_bytes(bytes), "picture.png", options);
}

std::vector<int> rgb(const std::string& bytes, const DecodeOptions& options = {}) {
  const auto image = decode(bytes, options);
  if (!image) ADD_FAILURE() << image.error().message();
  if (!image) return {};
  return {image->bytes().begin(), image->bytes().end()};
}

std::string jpeg(const Image& image, TJSAMP subsampling = TJSAMP_444) {
  unsigned char* data = nullptr;
  unsigned long size = 0;
  const tjhandle encoder = tjInitCompress();
  tjCompress2(encoder, image.bytes().data(), static_cast<int>(image.width()), 0, static_cast<int>(image.height()),
              TJPF_RGB, &data, &size, subsampling, 95, 0);
  std::string bytes(reinterpret_cast<const char*>(data), size);
  tjFree(data);
  tjDestroy(encoder);
  return bytes;
}

std::string cmyk_jpeg() {
  const std::string pixels(16 * 16 * 4, '\x40');
  unsigned char* data = nullptr;
  unsigned long size = 0;
  const tjhandle encoder = tjInitCompress();
  tjCompress2(encoder, reinterpret_cast<const unsigned char*>(pixels.data()), 16, 0, 16, TJPF_CMYK, &data, &size,
              TJSAMP_444, 95, 0);
  std::string bytes(reinterpret_cast<const char*>(data), size);
  tjFree(data);
  tjDestroy(encoder);
  return bytes;
}

Image colours() {
  return test::picture({24, 40}, [](int64_t y, int64_t x, int64_t c) { return 40 + 4 * y + 2 * x + 10 * c; });
}

TEST(DecodePng, OnePixel) { EXPECT_THAT(rgb(PngFile(1, 1, 8, kRgb).pixels("\0\1\2\3"s).end()), ElementsAre(1, 2, 3)); }

TEST(DecodePng, GreyBecomesThreeEqualChannels) {
  EXPECT_THAT(rgb(PngFile(2, 1, 8, kGrey).pixels("\0\x07\xFF"s).end()), ElementsAre(7, 7, 7, 255, 255, 255));
  EXPECT_THAT(rgb(PngFile(2, 1, 1, kGrey).pixels("\0\x40"s).end()), ElementsAre(0, 0, 0, 255, 255, 255));
  EXPECT_THAT(rgb(PngFile(2, 1, 4, kGrey).pixels("\0\x1F"s).end()), ElementsAre(17, 17, 17, 255, 255, 255));
}

TEST(DecodePng, OfSixteenBitsTheUpperEightStay) {
  EXPECT_THAT(rgb(PngFile(1, 1, 16, kGrey).pixels("\0\x12\xFF"s).end()), ElementsAre(0x12, 0x12, 0x12));
  EXPECT_THAT(rgb(PngFile(1, 1, 16, kRgb).pixels("\0\x12\xFF\x34\xFF\x56\xFF"s).end()), ElementsAre(0x12, 0x34, 0x56));
}

TEST(DecodePng, PaletteIsLookedUp) {
  const std::string two_colours = "\1\2\3\xF0\xF1\xF2"s;
  EXPECT_THAT(rgb(PngFile(2, 1, 8, kPalette).chunk("PLTE", two_colours).pixels("\0\1\0"s).end()),
              ElementsAre(0xF0, 0xF1, 0xF2, 1, 2, 3));
  EXPECT_THAT(rgb(PngFile(2, 1, 1, kPalette).chunk("PLTE", two_colours).pixels("\0\x80"s).end()),
              ElementsAre(0xF0, 0xF1, 0xF2, 1, 2, 3));
}

TEST(DecodePng, AlphaIsComposedOnWhiteOrDropped) {
  constexpr DecodeOptions kDrop{.alpha = AlphaPolicy::drop};
  const std::string rgba = PngFile(2, 1, 8, kRgbAlpha).pixels("\0\x0A\x64\xC8\x80\1\2\3\0"s).end();
  EXPECT_THAT(rgb(rgba), ElementsAre(132, 177, 227, 255, 255, 255));  // round((c * 128 + 255 * 127) / 255)
  EXPECT_THAT(rgb(rgba, kDrop), ElementsAre(10, 100, 200, 1, 2, 3));
  const std::string grey_alpha = PngFile(1, 1, 8, kGreyAlpha).pixels("\0\x64\x80"s).end();
  EXPECT_THAT(rgb(grey_alpha), ElementsAre(177, 177, 177));
  EXPECT_THAT(rgb(grey_alpha, kDrop), ElementsAre(100, 100, 100));
}

TEST(DecodePng, TransparentPaletteIsAlphaButColourKeyIsNot) {
  const std::string palette = "\1\2\3\4\5\6"s;
  EXPECT_THAT(rgb(PngFile(2, 1, 8, kPalette).chunk("PLTE", palette).chunk("tRNS", "\0"s).pixels("\0\0\1"s).end()),
              ElementsAre(255, 255, 255, 4, 5, 6));
  EXPECT_THAT(rgb(PngFile(1, 1, 8, kGrey).chunk("tRNS", "\0\x09"s).pixels("\0\x09"s).end()), ElementsAre(9, 9, 9));
}

TEST(DecodePng, GammaAndTextDoNotMatter) {
  PngFile file(1, 1, 8, kRgb);
  file.chunk("gAMA", "\0\1\x86\xA0"s).chunk("tEXt", "Comment\0hi"s);
  EXPECT_THAT(rgb(file.pixels("\0\1\2\3"s).end()), ElementsAre(1, 2, 3));
}

TEST(DecodePng, EveryCutIsAnErrorThatNamesTheFile) {
  const std::string whole = PngFile(3, 2, 8, kRgb).pixels(std::string(20, '\0')).end();
  ASSERT_OK(decode(whole));
  for (size_t size = 0; size < whole.size(); ++size) {
    const auto image = decode(whole.substr(0, size));
    EXPECT_CODE(image, Code::invalid_file);
    EXPECT_EQ(image.error().where, "picture.png");
  }
}

TEST(DecodePng, DamageIsAnError) {
  std::string bytes = PngFile(3, 2, 8, kRgb).pixels(std::string(20, '\0')).end();
  bytes[bytes.size() - 20] ^= 1;  // in the pixels: the sum of the chunk is wrong
  EXPECT_CODE(decode(bytes), Code::invalid_file);
  EXPECT_CODE(decode(PngFile(3, 2, 8, kRgb).pixels(std::string(9, '\0')).end()), Code::invalid_file);  // too few rows
  EXPECT_CODE(decode(PngFile(3, 2, 7, kRgb).pixels(std::string(20, '\0')).end()), Code::invalid_file);
  EXPECT_CODE(decode(PngFile(3, 2, 8, kPalette).pixels(std::string(8, '\0')).end()), Code::invalid_file);
}

TEST(DecodePng, BombIsRefusedByItsHeader) {
  for (const auto& [width, height] : {std::pair{2000000000U, 2000000000U}, {16385U, 1U}, {16384U, 16384U}}) {
    const auto image = decode(PngFile(width, height, 8, kRgb).pixels("").end());
    EXPECT_CODE(image, Code::invalid_value);
    EXPECT_EQ(image.error().where, "picture.png");
    EXPECT_EQ(image.error().found, str(ImageSize{height, width}));
  }
  EXPECT_CODE(decode(PngFile(0, 1, 8, kRgb).pixels("").end()), Code::invalid_file);
  EXPECT_CODE(decode(PngFile(8, 8, 8, kGrey).pixels("").end(), {.max_side = 7}), Code::invalid_value);
}

TEST(DecodeJpeg, ColoursComeOutNearlyAsTheyWentIn) {
  const Image in = colours();
  for (const TJSAMP subsampling : {TJSAMP_444, TJSAMP_422, TJSAMP_420}) {
    const auto out = decode(jpeg(in, subsampling));
    ASSERT_OK(out);
    ASSERT_EQ(out->size(), in.size());
    for (size_t i = 0; i < in.bytes().size(); ++i) ASSERT_NEAR(out->bytes()[i], in.bytes()[i], 8) << i;
  }
}

TEST(DecodeJpeg, GreyBecomesThreeEqualChannels) {
  const auto image = decode(jpeg(colours(), TJSAMP_GRAY));
  ASSERT_OK(image);
  EXPECT_THAT(test::channel(*image, 1), ElementsAreArray(test::channel(*image, 0)));
  EXPECT_THAT(test::channel(*image, 2), ElementsAreArray(test::channel(*image, 0)));
}

TEST(DecodeJpeg, EveryCutIsAnError) {
  const std::string whole = jpeg(colours());
  for (size_t size = 3; size < whole.size(); size += 7) EXPECT_CODE(decode(whole.substr(0, size)), Code::invalid_file);
  EXPECT_CODE(decode(whole.substr(0, whole.size() - 2)), Code::invalid_file);
}

TEST(DecodeJpeg, BombAndCmykAreRefused) {
  std::string bytes = jpeg(colours());
  const size_t frame = bytes.find("\xFF\xC0");
  bytes.replace(frame + 5, 4, "\xFF\x00\xFF\x00"s);
  EXPECT_CODE(decode(bytes), Code::invalid_value);
  const auto image = decode(cmyk_jpeg());
  EXPECT_CODE(image, Code::unsupported);
  EXPECT_EQ(image.error().found, "CMYK");
}

TEST(DecodeImage, OtherFilesAreRefused) {
  EXPECT_CODE(decode(""), Code::invalid_file);
  const auto image = decode("GIF89a and more");
  EXPECT_CODE(image, Code::invalid_file);
  EXPECT_THAT(image.error().message(), HasSubstr("bytes 47 49 46"));
}

TEST(ReadImage, NamesTheFile) {
  const auto path = std::filesystem::temp_directory_path() / "ramet_read_image_test.png";
  std::ofstream(path, std::ios::binary) << PngFile(1, 1, 8, kRgb).pixels("\0\1\2\3"s).end();
  EXPECT_OK(read_image(path));
  std::ofstream(path, std::ios::binary) << "text";
  const auto image = read_image(path);
  std::filesystem::remove(path);
  EXPECT_CODE(image, Code::invalid_file);
  EXPECT_EQ(image.error().where, path.string());
  EXPECT_CODE(read_image(path), Code::not_found);
}

}  // namespace
}  // namespace ramet
