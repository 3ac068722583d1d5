#include "policy/image/patch_rows.h"

#include "base/json.h"
#include "policy/image/decode.h"
#include "policy/image/resample.h"
#include "policy/image/test_support.h"
#include "support/assertions.h"
#include "support/paths.h"

#include <gmock/gmock.h>

#include <numeric>

namespace ramet {
namespace {

using testing::HasSubstr;

std::string text(const Json& node, const char* key) { return node.get<std::string>(key).value(); }

Grid grid_of(const Json& node) {
  const auto grid = node.get<std::vector<int64_t>>("grid_thw").value();
  return {grid[0], grid[1], grid[2]};
}

Image input(const std::filesystem::path& folder, const Json& item) {
  if (item.has("input")) return read_image(folder / text(item, "input")).value();
  const auto shape = item.get<std::vector<int64_t>>("shape").value();
  const auto seed = static_cast<uint64_t>(item.get<int64_t>("seed").value());
  return test::golden_picture(text(item, "formula"), {shape[0], shape[1]}, shape[2], seed);
}

TEST(PatchRowsGolden, EveryCaseOfBothBackends) {
  const auto folder = test::golden_dir("qwen_image_processor");
  if (!folder) GTEST_SKIP() << "no golden qwen_image_processor";
  const JsonFile file = JsonFile::load(*folder / "case.json").value();
  QwenImageProcessorConfig config = load_qwen_image_processor(*folder / "checkpoint").value();
  for (const Json& item : test::entries(file.root(), "cases")) {
    SCOPED_TRACE(item.where());
    const Image in = input(*folder, item);
    config.budget = {item.get<int64_t>("min_pixels").value(), item.get<int64_t>("max_pixels").value()};
    const auto size = item.get<std::vector<int64_t>>("resized").value();
    EXPECT_EQ(smart_resize(in.size(), 32, config.budget).value(), (ImageSize{size[0], size[1]}));
    for (const std::string backend : {"torchvision", "pil"}) {
      SCOPED_TRACE(backend);
      const bool torch = backend == "torchvision";
      config.backend = torch ? ProcessorBackend::torchvision : ProcessorBackend::pillow;
      const Resampler resampler = torch ? Resampler::torch_bicubic : Resampler::pillow_bicubic;
      EXPECT_EQ(test::sha256_of(resize(in, {size[0], size[1]}, resampler).value().bytes()),
                text(item, (backend + "_resized_sha256").c_str()));
      const auto rows = image_patch_rows({&in, 1}, config);
      ASSERT_OK(rows);
      EXPECT_EQ(rows->grids.front(), grid_of(item));
      EXPECT_EQ(test::sha256_of(rows->pixels.flat<float>()), text(item, (backend + "_pixels_sha256").c_str()));
    }
  }
}

TEST(PatchRowsGolden, SizesAlone) {
  const auto folder = test::golden_dir("qwen_image_processor");
  if (!folder) GTEST_SKIP() << "no golden qwen_image_processor";
  const JsonFile file = JsonFile::load(*folder / "case.json").value();
  for (const Json& item : test::entries(file.root(), "sizes_only")) {
    SCOPED_TRACE(item.where());
    const auto in = item.get<std::vector<int64_t>>("size").value();
    const PixelBudget budget{item.get<int64_t>("min_pixels").value(), item.get<int64_t>("max_pixels").value()};
    const auto size = smart_resize({in[0], in[1]}, 32, budget);
    const auto expected = item.get<std::vector<int64_t>>("resized");
    ASSERT_EQ(size.has_value(), expected.has_value());
    if (!size) continue;
    EXPECT_EQ(*size, (ImageSize{(*expected)[0], (*expected)[1]}));
  }
}

TEST(PatchRowsGolden, Video) {
  const auto folder = test::golden_dir("qwen3vl_video");
  if (!folder) GTEST_SKIP() << "no golden qwen3vl_video";
  const QwenVideoProcessorConfig config = load_qwen_video_processor(*folder / "checkpoint").value();
  std::vector<Image> frames;
  const std::vector<int64_t> indexes = sample_frames(11, 4, config.sampling).value();
  for (const int64_t index : indexes)
    frames.push_back(read_image(*folder / fmt::format("inputs/frame{:02}.png", index)).value());
  const auto rows = video_patch_rows(frames, config);
  ASSERT_OK(rows);
  EXPECT_EQ(rows->grids, std::vector<Grid>{(Grid{3, 4, 6})});
  EXPECT_EQ(test::sha256_of(rows->pixels.flat<float>()),
            "260fb58c83f3895ae028f2e8bd263e6e761062a294ea1a37b3ab1a2ceb02728c");
}

// The bytes that spec qwen3-vl, section 4.4, lists.
TEST(PatchRows, BytesOfTheSpec) {
  const Image image = test::golden_picture("ramp", {64, 64}, 3, 0);
  const PatchRows rows = image_patch_rows({&image, 1}, {.budget = {1024, 16777216}}).value();
  const auto byte = [&](int64_t row, int64_t column) {
    return std::lround(rows.pixels.view().row<float>(row)[column] * 127.5F + 127.5F);
  };
  EXPECT_EQ(rows.pixels.shape(), (Shape{16, 1536}));
  EXPECT_EQ(byte(0, 15), 209);
  EXPECT_EQ(byte(0, 16), 17);
  EXPECT_EQ(byte(0, 256), 0);
  EXPECT_EQ(byte(0, 512), 71);
  EXPECT_EQ(byte(1, 0), 240);
  EXPECT_EQ(byte(2, 0), 16);
  EXPECT_EQ(byte(4, 0), 224);
  EXPECT_EQ(byte(5, 529), 71);
  EXPECT_EQ(byte(8, 0), 32);
  EXPECT_EQ(byte(15, 1535), 94);
  const auto values = rows.pixels.flat<float>();
  const auto sum = std::accumulate(values.begin(), values.end(), int64_t{0},
                                   [](int64_t total, float v) { return total + std::lround(v * 127.5F + 127.5F); });
  EXPECT_EQ(sum, 3134976);
}

TEST(PatchRows, PicturesKeepTheirOrder) {
  std::vector<Image> images;
  images.push_back(test::picture({32, 64}, [](int64_t, int64_t, int64_t) { return 0; }));
  images.push_back(test::picture({64, 32}, [](int64_t, int64_t, int64_t) { return 255; }));
  const PatchRows rows = image_patch_rows(images, {.budget = {1024, 16777216}}).value();
  EXPECT_EQ(rows.grids, (std::vector<Grid>{{1, 2, 4}, {1, 4, 2}}));
  EXPECT_EQ(rows.pixels.view().row<float>(7)[0], -1);
  EXPECT_EQ(rows.pixels.view().row<float>(8)[0], 1);
}

TEST(PatchRows, GroupsOfAVideoAreFilledWithTheLastFrame) {
  std::vector<Image> frames;
  for (int value = 0; value < 7; ++value)
    frames.push_back(test::picture({32, 32}, [&](int64_t, int64_t, int64_t) { return value; }));
  QwenVideoProcessorConfig config;
  config.frames.budget = {1024, 16777216};
  for (size_t count = 2; count <= frames.size(); ++count) {
    const PatchRows rows = video_patch_rows(std::span(frames).first(count), config).value();
    EXPECT_EQ(rows.grids.front().t, static_cast<int64_t>((count + 1) / 2));
    const float* last_row = rows.pixels.view().row<float>(rows.grids.front().patches() - 1);
    const auto normalised = [](size_t value) { return (static_cast<float>(value) - 127.5F) / 127.5F; };
    EXPECT_EQ(last_row[0], normalised((count - 1) / 2 * 2));
    EXPECT_EQ(last_row[1535], normalised(count - 1));
  }
}

TEST(PatchRows, MeanAndDeviationOfAChannel) {
  const QwenImageProcessorConfig config{.image_mean = {0.25F, 0.5F, 0.5F}, .image_std = {0.5F, 0.5F, 2.0F}};
  EXPECT_FLOAT_EQ(normalised_bytes(config, 0)[255], 1.5F);
  EXPECT_FLOAT_EQ(normalised_bytes(config, 2)[0], -0.25F);
  EXPECT_EQ(f32_to_bf16(normalised_bytes(config, 1)[127]), f32_to_bf16(-0.003936767578125F));
}

TEST(PatchRows, Refusals) {
  EXPECT_CODE(image_patch_rows({}, {}), Code::usage);
  EXPECT_CODE(video_patch_rows({}, {}), Code::usage);
  std::vector<Image> images;
  images.push_back(test::golden_picture("ramp", {32, 32}, 3, 0));
  images.push_back(test::golden_picture("ramp", {1, 201}, 3, 0));
  const auto rows = image_patch_rows(images, {});
  EXPECT_CODE(rows, Code::invalid_value);
  EXPECT_THAT(rows.error().where, HasSubstr("picture 1"));
  EXPECT_CODE(video_patch_rows(images, {}), Code::shape_mismatch);
  EXPECT_CODE(video_patch_rows(std::span(images).first(1), {}), Code::invalid_value);
  EXPECT_CODE(image_patch_rows(std::span(images).first(1), {.budget = {int64_t{1} << 30, int64_t{1} << 31}}),
              Code::invalid_value);
}

}  // namespace
}  // namespace ramet
