// Video, normalisation, rotations, data configurations and prompts against the original code: case n15_processors.
#include "policy/gr00t_n15/frame_transform.h"
#include "policy/gr00t_n15/prompt.h"
#include "policy/gr00t_n15/robot.h"
#include "policy/image/decode.h"
#include "policy/text/test_support.h"
#include "support/assertions.h"
#include "support/paths.h"
#include "weights/safetensors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace ramet {
namespace {

class N15Processors : public testing::Test {
 protected:
  void SetUp() override {
    const auto dir = test::golden_dir("n15_processors");
    if (!dir) GTEST_SKIP() << "the golden case n15_processors is not on this machine";
    dir_ = *dir;
  }

  void load(const char* name) {
    auto file = JsonFile::load(dir_ / name);
    ASSERT_OK(file);
    file_.emplace(std::move(*file));
  }
  const nlohmann::json& root() const { return file_->root().raw(); }

  std::filesystem::path dir_;
  std::optional<JsonFile> file_;
};

uint8_t formula_level(const std::string& formula, int64_t y, int64_t x, int64_t c) {
  if (formula == "ramp") return static_cast<uint8_t>(3 * x + 5 * y + 40 * c);
  if (formula == "texture") return static_cast<uint8_t>(7 * x * x + 13 * y + x * y / 8 + 40 * c);
  return static_cast<uint8_t>(85 + 64 * c);
}

Result<Image> formula_frame(const std::string& formula, ImageSize size) {
  RAMET_TRY(Image image, Image::make(size));
  for (int64_t y = 0; y < size.height; ++y)
    for (int64_t x = 0; x < size.width; ++x)
      for (int64_t c = 0; c < 3; ++c) image.row(y)[3 * x + c] = formula_level(formula, y, x, c);
  return image;
}

std::array<int64_t, 3> sums(const Image& image) {
  std::array<int64_t, 3> result{};
  for (size_t i = 0; i < image.bytes().size(); ++i) result[i % 3] += image.bytes()[i];
  return result;
}

TEST_F(N15Processors, FramesAreThoseOfTorchvision) {
  load("video.json");
  for (const auto& each : root().at("cases")) {
    const std::string formula = each.at("formula");
    const ImageSize size{each.at("height"), each.at("width")};
    SCOPED_TRACE(formula + " " + str(size));
    const auto frame = formula_frame(formula, size);
    ASSERT_OK(frame);
    const auto ours = siglip_frame(*frame);
    ASSERT_OK(ours);
    const auto& golden = each.at("torchvision");
    EXPECT_EQ(sums(*ours), golden.at("sum"));
    if (!golden.contains("rows_0_8_16")) continue;
    const auto rows = read_image(dir_ / "video" / golden.at("rows_0_8_16").get<std::string>());
    ASSERT_OK(rows);
    for (int64_t y = 0; y < rows->height(); ++y)
      EXPECT_TRUE(std::equal(rows->row(y), rows->row(y) + rows->row_bytes(), ours->row(8 * y))) << "row " << 8 * y;
  }
}

TEST_F(N15Processors, NormalizersInFloat32) {
  load("normalizers.json");
  const auto statistics =
      Statistics::parse_robot("t", Json(nlohmann::json{{"state", {{"k", root().at("statistics")}}}}, "t"));
  ASSERT_OK(statistics);
  const KeyStatistics key = statistics->find("t", StatisticsGroup::state, "k").value();
  for (const auto& each : root().at("cases")) {
    if (each.at("dtype") != "float32") continue;
    SCOPED_TRACE(each.at("mode").get<std::string>());
    const auto mode = parse_normalizer_mode(each.at("mode").get<std::string>(), "test");
    ASSERT_OK(mode);
    const auto normalizer = Normalizer::make(*mode, key, 5);
    ASSERT_OK(normalizer);
    for (size_t row = 0; row < root().at("x").size(); ++row) {
      auto forward = root().at("x")[row].get<std::vector<float>>(), inverse = forward;
      normalizer->forward(forward);
      EXPECT_EQ(forward, each.at("forward")[row].get<std::vector<float>>());
      if (!each.contains("inverse")) continue;
      normalizer->inverse(inverse);
      EXPECT_EQ(inverse, each.at("inverse")[row].get<std::vector<float>>());
    }
  }
}

std::vector<double> converted(const std::vector<double>& in, const RotationFormat& from, const RotationFormat& to) {
  std::vector<double> out(static_cast<size_t>(to.width()));
  convert_rotation(in, from, to, out);
  return out;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double worst = 0;
  for (size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

// Near a singular pose the numbers are arbitrary and only the matrices say something.
void expect_same_rotation(const std::vector<double>& ours, const std::vector<double>& golden,
                          const RotationFormat& format) {
  ASSERT_EQ(ours.size(), golden.size());
  if (largest_difference(ours, golden) < 1e-9) return;
  const RotationFormat matrix{};
  EXPECT_LT(largest_difference(converted(ours, format, matrix), converted(golden, format, matrix)), 1e-6);
}

TEST_F(N15Processors, Rotations) {
  load("rotations.json");
  for (const auto& each : root().at("cases")) {
    SCOPED_TRACE(each.at("from").get<std::string>() + " to " + each.at("to").get<std::string>());
    const auto from = parse_rotation_format(each.at("from").get<std::string>(), "test");
    const auto to = parse_rotation_format(each.at("to").get<std::string>(), "test");
    ASSERT_OK(from);
    ASSERT_OK(to);
    for (size_t row = 0; row < each.at("x").size(); ++row) {
      SCOPED_TRACE(row);
      const auto forward = each.at("forward")[row].get<std::vector<double>>();
      expect_same_rotation(converted(each.at("x")[row], *from, *to), forward, *to);
      expect_same_rotation(converted(forward, *to, *from), each.at("inverse_of_forward")[row], *from);
    }
  }
}

nlohmann::json metadata_of(const nlohmann::json& config) {
  constexpr std::array tags{std::pair{24, "gr1"}, std::pair{17, "oxe_droid"}, std::pair{26, "agibot_genie1"},
                            std::pair{31, "new_embodiment"}};
  nlohmann::json robot{{"statistics", config.at("statistics")}, {"modalities", config.at("modalities")}};
  for (const auto& [slot, tag] : tags)
    if (slot == config.at("embodiment_id")) robot["embodiment_tag"] = tag;
  for (const std::string view : config.at("preset").at("video"))
    robot["modalities"]["video"][view.substr(view.find('.') + 1)] = {{"resolution", {64, 48}}, {"channels", 3}};
  return {{"robot", robot}};
}

RawState state_of(const nlohmann::json& config) {
  RawState state;
  for (const auto& [key, values] : config.at("state").items())
    state[key.substr(key.find('.') + 1)] = {values.get<std::vector<float>>()};
  return state;
}

// One unit of float32 in sines, cosines and rotations: the original computes them with other libraries.
void expect_near(std::span<const float> ours, const std::vector<float>& golden) {
  ASSERT_LE(golden.size(), ours.size());
  for (size_t i = 0; i < golden.size(); ++i)
    EXPECT_NEAR(ours[i], golden[i], 1e-6 * std::max(1.0F, std::abs(golden[i]))) << i;
}

TEST_F(N15Processors, EveryPresetReadsStatesAndDecodesActions) {
  load("data_configs.json");
  EXPECT_EQ(data_config_presets().size(), root().at("configs").size());
  for (const auto& [name, golden] : root().at("configs").items()) {
    SCOPED_TRACE(name);
    const nlohmann::json metadata_json = metadata_of(golden);
    const auto file = MetadataFile::parse(Json(metadata_json, "metadata.json"));
    ASSERT_OK(file);
    const auto metadata = file->find("");
    ASSERT_OK(metadata);
    const auto config = load_data_config(name);
    ASSERT_OK(config);
    const auto robot = N15Robot::make(*metadata, *config, {});
    ASSERT_OK(robot);
    EXPECT_EQ(robot->slot(), golden.at("embodiment_id"));
    EXPECT_EQ(config->language, golden.at("preset").at("language")[0]);

    const auto row = robot->state_row(state_of(golden));
    ASSERT_OK(row);
    expect_near(row->flat<float>(), golden.at("model_state_from_float32").get<std::vector<float>>());

    auto chunk = Buffer::make(DType::f32, {16, 32});
    ASSERT_OK(chunk);
    for (size_t step = 0; step < 3; ++step)
      std::ranges::copy(root().at("normalized_action")[step].get<std::vector<float>>(),
                        chunk->view().row<float>(static_cast<int64_t>(step)));
    const auto actions = robot->decode(chunk->view());
    ASSERT_OK(actions);
    ASSERT_EQ(actions->size(), golden.at("decoded").size());
    for (const Action& action : *actions)
      for (size_t step = 0; step < 3; ++step) {
        SCOPED_TRACE(action.key);
        const int64_t dims = action.values.shape()[1];
        expect_near(action.values.flat<float>().subspan(step * static_cast<size_t>(dims), static_cast<size_t>(dims)),
                    golden.at("decoded").at("action." + action.key)[step].get<std::vector<float>>());
      }
  }
}

std::vector<int64_t> expanded(const nlohmann::json& runs) {
  std::vector<int64_t> ids;
  for (const auto& run : runs) {
    if (run.is_array())
      ids.insert(ids.end(), run[1].get<size_t>(), run[0].get<int64_t>());
    else
      ids.push_back(run);
  }
  return ids;
}

// The rows of a batch are separate requests, padded on the left in the original.
struct PromptCase {
  std::string text;
  InstructionForm form;
  std::vector<int64_t> ids;
};

std::vector<PromptCase> prompt_cases(const nlohmann::json& prompt) {
  const std::string form = prompt.at("form");
  const bool is_list =
      form == "unbatched" || form == "unbatched_numpy" || form == "batched_rank2" || form == "other_key";
  const auto texts = prompt.at("text").is_array() ? prompt.at("text") : nlohmann::json::array({prompt.at("text")});
  std::vector<PromptCase> cases;
  for (size_t row = 0; row < texts.size(); ++row) {
    std::vector<int64_t> ids = expanded(prompt.at("ids")[row]);
    ids.erase(ids.begin(), ids.begin() + prompt.at("mask_zeros")[row].get<ptrdiff_t>());
    const std::string text = texts[row].is_null() ? "Perform the default behavior." : texts[row].get<std::string>();
    cases.push_back({text, is_list ? InstructionForm::list_of_one : InstructionForm::plain, std::move(ids)});
  }
  return cases;
}

TEST_F(N15Processors, Prompts) {
  load("prompts.json");
  const auto tokenizer = test::load_qwen(TokenizerFamily::eagle);
  if (!tokenizer) GTEST_SKIP() << test::kNoVocabulary;
  for (const auto& prompt : root().at("prompts"))
    for (const PromptCase& each : prompt_cases(prompt)) {
      const auto ids = n15_prompt(*tokenizer, {.count = prompt.at("views")}, each.text, each.form);
      ASSERT_OK(ids);
      EXPECT_EQ(*ids, each.ids) << each.text;
    }
  for (const auto& [text, golden] : root().at("tokenizer").get<std::vector<std::pair<std::string, nlohmann::json>>>()) {
    const auto ids = tokenizer->encode(text);
    ASSERT_OK(ids);
    EXPECT_EQ(*ids, expanded(golden)) << text;
  }
}

TEST_F(N15Processors, PixelsOfEveryLevel) {
  load("prompts.json");
  auto frame = Image::make({kSiglipSide, kSiglipSide});
  ASSERT_OK(frame);
  for (int64_t level = 0; level < 256; ++level)
    frame->row(0)[3 * (level % 224) + (level / 224)] = static_cast<uint8_t>(level);
  std::vector<Image> frames;
  frames.push_back(std::move(*frame));
  const auto pixels = siglip_pixels(frames);
  ASSERT_OK(pixels);
  for (const auto& [text, value] : root().at("pixel_values").at("samples").items()) {
    const int64_t level = std::stoi(text);
    const int64_t at = level / 224 * kSiglipSide * kSiglipSide + level % 224;
    EXPECT_EQ(pixels->flat<float>()[static_cast<size_t>(at)], value.get<float>()) << level;
  }
}

// Whole frames as they enter the tower; the case keeps every seventh row.
TEST(N15Multi, PixelsAreExact) {
  const auto dir = test::golden_dir("n15_multi");
  if (!dir) GTEST_SKIP() << "the golden case n15_multi is not on this machine";
  const auto golden = SafetensorsFile::open(*dir / "fp32.safetensors");
  ASSERT_OK(golden);
  std::vector<Image> frames;
  for (const char* name : {"exterior_image_1.png", "exterior_image_2.png", "wrist_image.png"})
    frames.push_back(siglip_frame(read_image(*dir / "inputs" / name).value()).value());
  const auto pixels = siglip_pixels(frames);
  ASSERT_OK(pixels);
  const auto kept = golden->view("pre.pixels");
  ASSERT_OK(kept);
  ASSERT_EQ(str(kept->shape()), "[3,3,32,224]");
  const auto row = [](std::span<const float> values, int64_t r) {
    return values.subspan(static_cast<size_t>(r * kSiglipSide), static_cast<size_t>(kSiglipSide));
  };
  for (int64_t r = 0; r < 3 * 3 * 32; ++r)
    EXPECT_TRUE(std::ranges::equal(row(kept->flat<float>(), r), row(pixels->flat<float>(), 7 * r))) << r;
}

}  // namespace
}  // namespace ramet
