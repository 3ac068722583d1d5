// Encoding pictures with tiny towers of synthetic weights.
#include "policy/tower_engine.h"

#include "policy/testing.h"
#include "support/assertions.h"

#include <gmock/gmock.h>

namespace ramet {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr int64_t kTinyWidth = 192;

class TowerEngineTest : public testing::Test {
 protected:
  static Result<std::unique_ptr<TowerEngine>> open(const std::filesystem::path& directory, int threads = 1) {
    return TowerEngine::open(directory, {.threads = threads});
  }
  static std::unique_ptr<TowerEngine> tiny(std::string_view version, int threads = 1) {
    return open(test::tiny_directory(version), threads).value();
  }
  static void expect_refused(std::string_view version, const std::function<void(json&)>& change, Code code,
                             const std::string& part) {
    SCOPED_TRACE(part);
    const test::Copy copy(test::tiny_directory(version));
    copy.edit("config.json", change);
    const auto engine = open(copy.path());
    EXPECT_CODE(engine, code);
    EXPECT_THAT(engine.error().message(), HasSubstr(part));
  }

  ImageView picture(int64_t height, int64_t width, int shift = 0) {
    auto& rgb = pixels_.emplace_back();
    for (int64_t i = 0; i < height * width * 3; ++i) rgb.push_back(static_cast<uint8_t>(i * 7 / 3 + i / width + shift));
    return {.rgb = rgb, .height = height, .width = width};
  }

  std::vector<std::vector<uint8_t>> pixels_;
};

TEST_F(TowerEngineTest, RowsOfEachPicture) {
  const std::vector<ImageView> images{picture(256, 256), picture(192, 352)};
  const auto encoding = tiny("qwen3-vl-2b")->encode(images, {.taps = {"pre.*", "vision.out"}});
  ASSERT_OK(encoding);
  EXPECT_THAT(encoding->grid, ElementsAre(std::array<int64_t, 3>{1, 16, 16}, std::array<int64_t, 3>{1, 12, 22}));
  EXPECT_THAT(encoding->out.shape, ElementsAre(64 + 66, kTinyWidth));
  ASSERT_EQ(encoding->deepstack.size(), 3U);
  for (const FloatArray& level : encoding->deepstack) EXPECT_EQ(level.shape, encoding->out.shape);
  std::vector<std::string> names;
  for (const Tap& tap : encoding->taps) names.push_back(tap.name);
  EXPECT_THAT(names, ElementsAre("pre.pixels", "pre.grid", "pre.grid_thw", "vision.out"));
  EXPECT_EQ(encoding->taps.back().floats, encoding->out.values);
}

TEST_F(TowerEngineTest, SameBitsAloneTogetherAndWithMoreThreads) {
  const std::vector<ImageView> images{picture(256, 256), picture(256, 256, 9)};
  const auto engine = tiny("qwen3-vl-2b");
  const auto both = engine->encode(images, {}).value();
  std::vector<float> one_by_one;
  for (const ImageView& image : images) {
    const auto alone = engine->encode(std::span(&image, 1), {}).value();
    one_by_one.insert(one_by_one.end(), alone.out.values.begin(), alone.out.values.end());
  }
  EXPECT_EQ(both.out.values, one_by_one);
  EXPECT_EQ(tiny("qwen3-vl-2b", 3)->encode(images, {})->out.values, both.out.values);
}

TEST_F(TowerEngineTest, FramesOfAVideo) {
  std::vector<ImageView> frames;
  for (int i = 0; i < 3; ++i) frames.push_back(picture(64, 96, i));
  const auto encoding = tiny("qwen3-vl-2b")->encode(frames, {.video = true, .taps = {"pre.*"}});
  ASSERT_OK(encoding);
  EXPECT_THAT(encoding->grid, ElementsAre(std::array<int64_t, 3>{2, 4, 6}));  // the last frame is repeated
  EXPECT_THAT(encoding->out.shape, ElementsAre(12, kTinyWidth));
  EXPECT_EQ(encoding->taps.front().name, "pre.pixels_video");
}

// A still picture of the same grid reads one frame of each patch; a video must not, whichever came first.
TEST_F(TowerEngineTest, TheSecondFrameOfAPairCounts) {
  const ImageView a = picture(256, 256), b = picture(256, 256, 90);
  const auto engine = tiny("qwen3-vl-2b");
  const auto still = engine->encode(std::vector{a}, {}).value();
  const auto equal = engine->encode(std::vector{a, a}, {.video = true}).value();
  const auto moving = engine->encode(std::vector{a, b}, {.video = true}).value();
  ASSERT_EQ(still.grid, moving.grid);
  EXPECT_NE(moving.out.values, equal.out.values);
  EXPECT_EQ(engine->encode(std::vector{a}, {})->out.values, still.out.values);
}

TEST_F(TowerEngineTest, EveryFamilyOpens) {
  const std::vector<ImageView> image{picture(256, 256)};
  const auto without_levels = tiny("qwen3.5-0.8b")->encode(image, {});
  ASSERT_OK(without_levels);
  EXPECT_THAT(without_levels->deepstack, IsEmpty());
  const auto of_groot = tiny("n17")->encode(image, {});
  ASSERT_OK(of_groot);
  EXPECT_THAT(of_groot->out.shape, ElementsAre(64, kTinyWidth));
  EXPECT_EQ(of_groot->deepstack.size(), 3U);
}

TEST_F(TowerEngineTest, PicturesToRefuse) {
  const auto engine = tiny("qwen3-vl-2b");
  EXPECT_CODE(engine->encode({}, {}), Code::usage);
  ImageView cut = picture(256, 256);
  cut.width = 300;
  const auto wrong = engine->encode(std::vector{picture(256, 256), cut}, {});
  EXPECT_CODE(wrong, Code::shape_mismatch);
  EXPECT_EQ(wrong.error().where, "image 1");
  EXPECT_CODE(engine->encode(std::vector{picture(1, 201)}, {}), Code::invalid_value);
  EXPECT_CODE(engine->encode(std::vector{picture(64, 64)}, {.video = true}), Code::invalid_value);
  EXPECT_CODE(engine->encode(std::vector{picture(64, 64), picture(64, 96)}, {.video = true}), Code::shape_mismatch);
}

TEST_F(TowerEngineTest, ConfigsThatDoNotFit) {
  const char* version = "qwen3.5-0.8b";
  expect_refused(
      version, [](json& c) { c["vision_config"]["depth"] = 6; }, Code::invalid_value,
      "config.json: vision_config.depth: expected 5 stored blocks, found 6");
  expect_refused(
      version, [](json& c) { c["vision_config"]["intermediate_size"] = 321; }, Code::shape_mismatch, "linear_fc1");
  expect_refused(
      version, [](json& c) { c["vision_config"]["deepstack_visual_indexes"] = {1}; }, Code::not_found,
      "deepstack_merger_list.0");
  expect_refused(
      version, [](json& c) { c["vision_config"].erase("num_heads"); }, Code::not_found, "num_heads");
  expect_refused(
      version, [](json& c) { c["vision_config"]["patch_size"] = 14; }, Code::shape_mismatch, "patch_embed");
}

TEST_F(TowerEngineTest, ProcessorOfAnotherGeometry) {
  const test::Copy copy(test::tiny_directory("qwen3.5-0.8b"));
  copy.edit("preprocessor_config.json", [](json& c) { c["merge_size"] = 4; });
  const auto engine = open(copy.path());
  EXPECT_CODE(engine, Code::invalid_value);
  EXPECT_THAT(engine.error().message(), HasSubstr("merge_size"));
}

// Without a file of its own a directory gets the values of the family.
TEST_F(TowerEngineTest, ProcessorFilesAreOptional) {
  const test::Copy copy(test::tiny_directory("qwen3.5-0.8b"));
  std::filesystem::remove(copy.path() / "preprocessor_config.json");
  std::filesystem::remove(copy.path() / "video_preprocessor_config.json");
  const auto engine = open(copy.path());
  ASSERT_OK(engine);
  const std::vector<ImageView> image{picture(48, 48)};
  EXPECT_EQ((*engine)->encode(image, {})->grid.front(), (std::array<int64_t, 3>{1, 16, 16}));
}

TEST_F(TowerEngineTest, NanInAWeightIsNamed) {
  const test::Copy copy(test::tiny_directory("qwen3.5-0.8b"));
  const std::string weight = "model.visual.blocks.3.norm1.bias";
  copy.poke(weight, 0, 0x7F80);
  const std::vector<ImageView> image{picture(64, 64)};
  const auto encoding = open(copy.path()).value()->encode(image, {});
  EXPECT_CODE(encoding, Code::not_finite);
  EXPECT_EQ(encoding.error().where, "tap vision.block.3");
  EXPECT_THAT(encoding.error().hint, HasSubstr(weight));
}

TEST_F(TowerEngineTest, RoundedRotaryTables) {
  const std::vector<ImageView> image{picture(256, 256)};
  const auto exact = tiny("qwen3.5-0.8b")->encode(image, {}).value();
  const auto engine =
      TowerEngine::open(test::tiny_directory("qwen3.5-0.8b"), {.threads = 1, .quirks = {{"rope", "bf16"}}});
  ASSERT_OK(engine);
  const double distance = test::rel_l2((*engine)->encode(image, {})->out.values, exact.out.values);
  EXPECT_GT(distance, 1e-5);
  EXPECT_LT(distance, 1e-2);
}

}  // namespace
}  // namespace ramet
