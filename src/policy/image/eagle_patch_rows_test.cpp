// Order of patches and planes; the golden case n16_processors holds the sizes and bytes.
#include "policy/image/eagle_patch_rows.h"

#include "support/assertions.h"

#include <gtest/gtest.h>

namespace ramet {
namespace {

constexpr int64_t kWidth = 588;  // numbers of a row

Image black(ImageSize size) { return Image::make(size).value(); }

TEST(EaglePatchRows, PixelOfTheSpec) {
  Image image = black({56, 56});
  image.row(15)[3 * 3 + 1] = 255;  // y = 15, x = 3, green
  const std::vector<Image> images = [&] {
    std::vector<Image> list;
    list.push_back(black({56, 56}));
    list.push_back(std::move(image));
    return list;
  }();
  const auto rows = eagle_patch_rows(images);
  ASSERT_OK(rows);
  EXPECT_EQ(rows->grids, (std::vector<Grid>{{1, 4, 4}, {1, 4, 4}}));
  ASSERT_EQ(rows->pixels.shape(), (Shape{32, kWidth}));
  const auto flat = rows->pixels.flat<float>();
  for (int64_t row = 0; row < 32; ++row)
    for (int64_t i = 0; i < kWidth; ++i)
      EXPECT_EQ(flat[static_cast<size_t>(row * kWidth + i)], row == 16 + 4 && i == 52 ? 1.0F : -1.0F);
}

TEST(EaglePatchRows, PlanesAreThePicture) {
  std::vector<Image> images;
  images.push_back(black({56, 84}));
  for (size_t i = 0; i < images[0].bytes().size(); ++i) images[0].bytes()[i] = static_cast<uint8_t>(i * 7);
  const auto rows = eagle_patch_rows(images);
  ASSERT_OK(rows);
  const auto planes = pixel_planes(rows->pixels.view(), rows->grids);
  ASSERT_OK(planes);
  ASSERT_EQ(planes->shape(), (Shape{1, 3, 56, 84}));
  for (int64_t c = 0; c < 3; ++c)
    for (int64_t y = 0; y < 56; ++y)
      for (int64_t x = 0; x < 84; ++x)
        EXPECT_EQ(planes->flat<float>()[static_cast<size_t>((c * 56 + y) * 84 + x)],
                  (static_cast<float>(images[0].row(y)[3 * x + c]) - 127.5F) / 127.5F);
}

TEST(EaglePatchRows, PicturesThatCannotBe) {
  EXPECT_CODE(eagle_patch_rows({}), Code::usage);
  EXPECT_CODE(eagle_resize(black({8, 2000})), Code::invalid_value);   // aspect ratio
  EXPECT_CODE(eagle_resize(black({56, 7100})), Code::invalid_value);  // a side over 7000
}

}  // namespace
}  // namespace ramet
