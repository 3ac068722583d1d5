#include "policy/image/qwen_config.h"

#include "support/assertions.h"

#include <gmock/gmock.h>

#include <fstream>

namespace ramet {
namespace {

using testing::HasSubstr;

constexpr const char* kSize = R"("size": {"shortest_edge": 65536, "longest_edge": 16777216})";

Result<QwenImageProcessorConfig> parse(const std::string& text) {
  const JsonFile file = JsonFile::parse(text, "preprocessor_config.json").value();
  return parse_qwen_image_processor(file.root());
}

Result<QwenVideoProcessorConfig> parse_video(const std::string& text) {
  const JsonFile file = JsonFile::parse(text, "video_preprocessor_config.json").value();
  return parse_qwen_video_processor(file.root());
}

std::string with(const std::string& more) { return std::string("{") + kSize + ", " + more + "}"; }

TEST(QwenConfig, DefaultsOfTheFamily) {
  const auto config = parse(std::string("{") + kSize + "}");
  ASSERT_OK(config);
  EXPECT_EQ(*config, QwenImageProcessorConfig{});
  EXPECT_EQ(config->factor(), 32);
  EXPECT_EQ(config->row_width(), 1536);
}

TEST(QwenConfig, EveryFieldIsRead) {
  const auto config = parse(R"({"min_pixels": 1024, "max_pixels": 2048, "patch_size": 14, "temporal_patch_size": 1,
      "merge_size": 4, "image_mean": [0.1, 0.2, 0.3], "image_std": [1, 2, 3], "rescale_factor": 0.5, "resample": 2})");
  ASSERT_OK(config);
  EXPECT_EQ(config->budget, (PixelBudget{1024, 2048}));
  EXPECT_EQ(config->patch_size, 14);
  EXPECT_EQ(config->temporal_patch_size, 1);
  EXPECT_EQ(config->merge_size, 4);
  EXPECT_EQ(config->image_mean[2], 0.3F);
  EXPECT_EQ(config->image_std[1], 2.0F);
  EXPECT_EQ(config->rescale_factor, 0.5);
  EXPECT_EQ(config->resample, ResizeFilter::bilinear);
  const auto video = parse_video(with(R"("fps": 1.5, "min_frames": 2, "max_frames": 9, "cap_pixels_per_frame": true)"));
  ASSERT_OK(video);
  EXPECT_EQ(video->sampling, (VideoSampling{1.5, 2, 9}));
  EXPECT_TRUE(video->cap_pixels_per_frame);
}

TEST(QwenConfig, ErrorsNameFileAndKey) {
  for (const auto& [text, code, key] :
       {std::tuple{std::string("{}"), Code::not_found, "size"},
        {R"({"min_pixels": 1024})", Code::not_found, "max_pixels"},
        {R"({"size": {"height": 10, "width": 10}})", Code::not_found, "size.shortest_edge"},
        {R"({"size": {"shortest_edge": 10, "longest_edge": 9}})", Code::invalid_value, "size"},
        {R"({"size": {"shortest_edge": 10, "longest_edge": 20}, "min_pixels": 11, "max_pixels": 20})",
         Code::invalid_value, "size"},
        {with(R"("patch_size": 0)"), Code::invalid_value, "patch_size"},
        {with(R"("patch_size": 16.5)"), Code::invalid_value, "patch_size"},
        {with(R"("merge_size": 1000000)"), Code::invalid_value, "merge_size"},
        {with(R"("image_mean": [0.5])"), Code::shape_mismatch, "image_mean"},
        {with(R"("image_std": [0.5, 0, 0.5])"), Code::invalid_value, "image_std"},
        {with(R"("rescale_factor": 0)"), Code::invalid_value, "rescale_factor"},
        {with(R"("resample": 0)"), Code::unsupported, "resample"},
        {with(R"("do_resize": false)"), Code::unsupported, "do_resize"}}) {
    const auto config = parse(text);
    EXPECT_CODE(config, code);
    EXPECT_THAT(config.error().where, HasSubstr(std::string("preprocessor_config.json: ") + key));
  }
  EXPECT_CODE(parse_video(with(R"("fps": -1)")), Code::invalid_value);
  EXPECT_CODE(parse_video(with(R"("min_frames": 9, "max_frames": 8)")), Code::invalid_value);
}

class QwenConfigFiles : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directory(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void write(const char* name, const std::string& text) { std::ofstream(folder_ / name) << text; }

  std::filesystem::path folder_ = std::filesystem::temp_directory_path() / "ramet_qwen_config_test";
};

TEST_F(QwenConfigFiles, FlatOrNested) {
  EXPECT_CODE(load_qwen_image_processor(folder_), Code::not_found);
  write("processor_config.json", "{}");
  EXPECT_CODE(load_qwen_video_processor(folder_), Code::not_found);
  write("processor_config.json", R"({"image_processor": )" + with(R"("patch_size": 14)") + "}");
  EXPECT_EQ(load_qwen_image_processor(folder_).value().patch_size, 14);
  write("preprocessor_config.json", with(R"("patch_size": 14)"));
  EXPECT_EQ(load_qwen_image_processor(folder_).value().patch_size, 14);
  write("preprocessor_config.json", with(R"("patch_size": 16)"));
  const auto config = load_qwen_image_processor(folder_);
  EXPECT_CODE(config, Code::invalid_value);
  EXPECT_THAT(config.error().message(), HasSubstr("preprocessor_config.json"));
  write("video_preprocessor_config.json", with(R"("fps": 4)"));
  EXPECT_EQ(load_qwen_video_processor(folder_).value().sampling.fps, 4);
}

TEST(QwenConfig, GeometryMustBeThatOfTheTower) {
  EXPECT_OK(check_geometry({}, {}, "preprocessor_config.json"));
  for (const auto& [tower, key] : {std::pair{PatchGeometry{14, 2, 2}, "patch_size"},
                                   {{16, 1, 2}, "temporal_patch_size"},
                                   {{16, 2, 1}, "merge_size"}}) {
    const auto status = check_geometry({}, tower, "preprocessor_config.json");
    EXPECT_CODE(status, Code::invalid_value);
    EXPECT_EQ(status.error().where, std::string("preprocessor_config.json: ") + key);
  }
}

}  // namespace
}  // namespace ramet
