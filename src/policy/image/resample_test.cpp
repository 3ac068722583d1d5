#include "policy/image/resample.h"

#include "base/json.h"
#include "policy/image/decode.h"
#include "policy/image/test_support.h"
#include "support/assertions.h"
#include "support/paths.h"

#include <gmock/gmock.h>

#include <map>

namespace ramet {
namespace {

using testing::ElementsAreArray;

const std::map<std::string, Resampler> kOperations{{"torch_bicubic", Resampler::torch_bicubic},
                                                   {"torch_bilinear", Resampler::torch_bilinear},
                                                   {"pillow_bicubic", Resampler::pillow_bicubic},
                                                   {"pillow_bilinear", Resampler::pillow_bilinear},
                                                   {"cv_area", Resampler::cv_area},
                                                   {"cv_linear", Resampler::cv_linear}};

ImageSize size_of(const Json& node, const char* key) {
  const auto size = node.get<std::vector<int64_t>>(key).value();
  return {size[0], size[1]};
}

std::string text(const Json& node, const char* key) { return node.get<std::string>(key).value(); }

TEST(ResizeGolden, EveryPicture) {
  const auto folder = test::golden_dir("image_resampling");
  if (!folder) GTEST_SKIP() << "no golden image_resampling";
  const JsonFile file = JsonFile::load(*folder / "case.json").value();
  for (const Json& item : test::entries(file.root(), "png")) {
    SCOPED_TRACE(text(item, "output"));
    const auto in = read_image(*folder / text(item, "input"));
    const auto expected = read_image(*folder / text(item, "output"));
    ASSERT_OK(in);
    ASSERT_OK(expected);
    const auto out = resize(*in, size_of(item, "size"), kOperations.at(text(item, "op")));
    ASSERT_OK(out);
    ASSERT_EQ(out->size(), expected->size());
    EXPECT_TRUE(std::ranges::equal(out->bytes(), expected->bytes()));
  }
}

TEST(ResizeGolden, EveryHash) {
  const auto folder = test::golden_dir("image_resampling");
  if (!folder) GTEST_SKIP() << "no golden image_resampling";
  const JsonFile file = JsonFile::load(*folder / "case.json").value();
  for (const Json& item : test::entries(file.root(), "hashed")) {
    SCOPED_TRACE(item.where() + " " + text(item, "op"));
    const auto channels = item.get<std::vector<int64_t>>("shape").value()[2];
    const auto seed = static_cast<uint64_t>(item.get<int64_t>("seed").value());
    const Image in = test::golden_picture(text(item, "formula"), size_of(item, "shape"), channels, seed);
    const auto out = resize(in, size_of(item, "size"), kOperations.at(text(item, "op")));
    ASSERT_OK(out);
    std::vector<uint8_t> bytes(out->bytes().begin(), out->bytes().end());
    if (channels == 1)
      for (size_t i = 0; i < bytes.size() / 3; ++i) bytes[i] = bytes[3 * i];
    bytes.resize(bytes.size() * static_cast<size_t>(channels) / 3);
    EXPECT_EQ(test::sha256_of(std::span(bytes)), text(item, "sha256"));
  }
}

// The table of spec image-resampling, section 1.
TEST(Resize, RowOfTheSpec) {
  const std::vector<int> row{10, 20, 40, 80, 160, 200, 220, 255};
  const Image in = test::picture({1, 8}, [&](int64_t, int64_t x, int64_t) { return row[static_cast<size_t>(x)]; });
  const std::vector<int> cubic4{14, 62, 177, 238}, linear4{19, 68, 173, 232}, opencv4{15, 60, 180, 238};
  const std::vector<int> cubic12{9, 14, 23, 35, 56, 91, 149, 184, 204, 216, 240, 255};
  const std::vector<int> linear12{10, 15, 23, 37, 60, 93, 147, 180, 203, 217, 238, 255};
  const std::vector<int> area12{10, 15, 20, 40, 60, 80, 160, 180, 200, 220, 238, 255};
  using enum Resampler;
  for (const auto& [resampler, four, twelve] : {std::tuple{torch_bicubic, cubic4, cubic12},
                                                {pillow_bicubic, cubic4, cubic12},
                                                {pillow12_bicubic, cubic4, cubic12},
                                                {torch_bilinear, linear4, linear12},
                                                {pillow_bilinear, linear4, linear12},
                                                {pillow12_bilinear, linear4, linear12},
                                                {cv_area, opencv4, area12},
                                                {cv_linear, opencv4, linear12}}) {
    EXPECT_THAT(test::channel(resize(in, {1, 4}, resampler).value(), 0), ElementsAreArray(four));
    EXPECT_THAT(test::channel(resize(in, {1, 12}, resampler).value(), 0), ElementsAreArray(twelve));
  }
}

TEST(Resize, PillowTwelveStartsWithTheWidth) {
  const Image in = test::golden_picture("noise", {90, 40}, 3, 1);
  const ImageSize flat{32, 32};  // loses 58 rows and 8 columns: Pillow 13 starts with the height
  const ImageSize square{82, 32};
  const auto differ = [&](ImageSize size) {
    const Image a = resize(in, size, Resampler::pillow_bicubic).value();
    const Image b = resize(in, size, Resampler::pillow12_bicubic).value();
    return !std::ranges::equal(a.bytes(), b.bytes());
  };
  EXPECT_TRUE(differ(flat));
  EXPECT_FALSE(differ(square));
}

TEST(Resize, FlatAndExtremePictures) {
  for (const auto& [name, resampler] : kOperations)
    for (const ImageSize from : {ImageSize{1, 1}, {1, 300}, {300, 1}, {7, 5}})
      for (const ImageSize to : {ImageSize{1, 1}, {1, 200}, {33, 2}, {300, 300}}) {
        const Image in = test::picture(from, [](int64_t, int64_t, int64_t c) { return 255 - 100 * c; });
        const auto out = resize(in, to, resampler);
        ASSERT_OK(out);
        ASSERT_EQ(out->size(), to);
        for (int64_t i = 0; i < to.height * to.width * 3; ++i)
          ASSERT_EQ(out->bytes()[static_cast<size_t>(i)], 255 - 100 * (i % 3)) << name << str(from) << str(to);
      }
}

TEST(Resize, ImpossibleSizesAreErrors) {
  const Image in = test::golden_picture("ramp", {2, 2}, 3, 0);
  EXPECT_CODE(resize(in, {0, 4}, Resampler::cv_area), Code::invalid_value);
  EXPECT_CODE(resize(in, {Image::kMaxSide + 1, 1}, Resampler::cv_area), Code::invalid_value);
  EXPECT_CODE(resize(in, {65536, 65536}, Resampler::torch_bicubic), Code::invalid_value);
}

TEST(Image, CropAndPadStayInside) {
  const Image in = test::golden_picture("ramp", {3, 4}, 3, 0);
  EXPECT_THAT(test::channel(crop(in, {1, 2}, {1, 1}).value(), 0), testing::ElementsAre(17 + 31, 17 + 62));
  EXPECT_CODE(crop(in, {3, 4}, {0, 1}), Code::invalid_value);
  EXPECT_CODE(crop(in, {1, 1}, {-1, 0}), Code::invalid_value);
  EXPECT_CODE(pad(in, {3, 3}, {0, 0}), Code::invalid_value);
  const Image square = letterbox(in).value();  // one row missing: it goes below
  EXPECT_EQ(square.size(), (ImageSize{4, 4}));
  EXPECT_EQ(square.row(0)[3], 31);
  EXPECT_EQ(square.row(3)[3], 0);
  EXPECT_CODE(Image::copy_of({2, 2}, std::vector<uint8_t>(11)), Code::shape_mismatch);
}

}  // namespace
}  // namespace ramet
