#include "policy/image/smart_resize.h"

#include "support/assertions.h"

#include <tuple>

namespace ramet {
namespace {

constexpr PixelBudget kImages{65536, 16777216};
constexpr PixelBudget kVideos{4096, 25165824};

// Spec qwen3-vl, section 4.2, and spec gr00t-n1.7, section 3.3.
TEST(SmartResize, SizesOfTheSpec) {
  for (const auto& [in, out] : {std::pair{ImageSize{480, 640}, ImageSize{480, 640}},
                                {{720, 1280}, {704, 1280}},
                                {{1080, 1920}, {1088, 1920}},
                                {{448, 448}, {448, 448}},
                                {{224, 224}, {256, 256}},
                                {{16, 16}, {256, 256}},
                                {{1, 1}, {256, 256}},
                                {{180, 320}, {192, 352}},
                                {{8000, 40}, {8000, 32}},
                                {{333, 1001}, {320, 992}},
                                {{5000, 3000}, {4992, 3008}},
                                {{31, 639}, {64, 1184}},
                                {{1, 200}, {32, 3648}},
                                {{256, 272}, {256, 256}},
                                {{256, 304}, {256, 320}},
                                {{256, 336}, {256, 320}}}) {
    const auto size = smart_resize(in, 32, kImages);
    ASSERT_OK(size);
    EXPECT_EQ(str(*size), str(out)) << str(in);
  }
  EXPECT_EQ(smart_resize({480, 640}, 32, {65536, 200000}).value(), (ImageSize{384, 512}));
  EXPECT_EQ(smart_resize({33, 700}, 32, {1024, 20480}).value(), (ImageSize{32, 640}));
}

TEST(SmartResize, BothSidesReachTheFactorForEveryAspectRatio) {
  for (int64_t width = 1; width <= 2000; width += 7)
    for (const int64_t ratio : {1, 3, 50, 199, 200})
      for (const PixelBudget budget : {kImages, PixelBudget{1024, 20480}}) {
        const auto size = smart_resize({width * ratio, width}, 32, budget);
        ASSERT_OK(size);
        EXPECT_TRUE(size->height >= 32 && size->width >= 32 && size->height % 32 == 0 && size->width % 32 == 0);
      }
}

TEST(SmartResize, Refusals) {
  EXPECT_CODE(smart_resize({1, 201}, 32, kImages), Code::invalid_value);
  EXPECT_CODE(smart_resize({0, 5}, 32, kImages), Code::invalid_value);
  EXPECT_CODE(smart_resize({64, 64}, 32, {0, 100}), Code::invalid_value);
  EXPECT_CODE(smart_resize({64, 64}, 32, {101, 100}), Code::invalid_value);
  EXPECT_CODE(smart_resize({64, 64}, 32, {1, int64_t{1} << 50}), Code::invalid_value);
}

// Spec qwen3-vl, section 4.3.
TEST(SmartResizeVideo, SizesOfTheSpec) {
  const VideoSizeRule rule{.budget = kVideos};
  for (const auto& [frames, in, out] : {std::tuple{6, ImageSize{720, 1280}, ImageSize{704, 1280}},
                                        {768, {360, 640}, {128, 224}},
                                        {2, {20, 20}, {64, 64}},
                                        {5, {2304, 2304}, {2304, 2304}}}) {
    const auto size = smart_resize_video(frames, in, rule);
    ASSERT_OK(size);
    EXPECT_EQ(str(*size), str(out)) << frames << " frames of " << str(in);
  }
  const VideoSizeRule capped{.budget = kVideos, .cap_pixels_per_frame = true};
  EXPECT_EQ(smart_resize_video(16, {720, 1280}, capped).value(), (ImageSize{640, 1152}));
}

TEST(SmartResizeVideo, Refusals) {
  const VideoSizeRule rule{.budget = kVideos};
  EXPECT_CODE(smart_resize_video(1, {720, 1280}, rule), Code::invalid_value);
  EXPECT_CODE(smart_resize_video(4, {1, 201}, rule), Code::invalid_value);
  EXPECT_CODE(smart_resize_video(4, {64, 0}, rule), Code::invalid_value);
  EXPECT_CODE(smart_resize_video(4, {64, 64}, {}), Code::invalid_value);
}

}  // namespace
}  // namespace ramet
