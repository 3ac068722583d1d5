// Pictures, prompts, states and actions of GR00T N1.6 against the original code: case n16_processors.
#include "policy/image/eagle_patch_rows.h"
#include "policy/image/eval_transform.h"
#include "policy/robot/action_decoder.h"
#include "policy/robot/processor_config.h"
#include "policy/robot/state_processor.h"
#include "policy/text/eagle_prompt.h"
#include "policy/text/formalize.h"
#include "policy/text/test_support.h"
#include "support/assertions.h"
#include "support/paths.h"
#include "weights/safetensors.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace ramet {
namespace {

using nlohmann::json;

class N16Processors : public testing::Test {
 protected:
  void SetUp() override {
    const auto dir = test::golden_dir("n16_processors");
    if (!dir) GTEST_SKIP() << "the golden case n16_processors is not on this machine";
    dir_ = *dir;
  }
  const json& load(const char* name) {
    auto file = JsonFile::load(dir_ / name);
    EXPECT_OK(file);
    file_.emplace(std::move(*file));
    return file_->root().raw();
  }

  std::filesystem::path dir_;
  std::optional<JsonFile> file_;
};

uint8_t level(const std::string& pattern, int64_t y, int64_t x, int64_t c) {
  if (pattern == "ramp") return static_cast<uint8_t>(3 * x + 5 * y + 40 * c);
  const int64_t shift = (x / 16 + y / 16) & 1;
  return static_cast<uint8_t>(((7 * x * x + 13 * y * y + 3 * x * y + 91 * c) & 255) >> shift);
}

Image pattern_picture(const std::string& pattern, const json& size) {
  Image image = Image::make({size.at(0), size.at(1)}).value();
  for (int64_t y = 0; y < image.height(); ++y)
    for (int64_t x = 0; x < image.width(); ++x)
      for (int64_t c = 0; c < 3; ++c) image.row(y)[3 * x + c] = level(pattern, y, x, c);
  return image;
}

std::string crc32(const Image& image) {
  uint32_t crc = ~0U;
  for (const uint8_t byte : image.bytes()) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xEDB88320U : 0U);
  }
  std::array<char, 9> text{};
  std::snprintf(text.data(), text.size(), "%08x", ~crc);
  return text.data();
}

EvalTransform transform_of(const json& check) {
  json kwargs = check.at("settings");
  kwargs["letter_box_transform"] = check.at("letterbox");
  const auto options = parse_image_options(Json(kwargs, "settings"), EvalTransformOptions{});
  EXPECT_OK(options);
  const auto transform = EvalTransform::make(*options, "settings");
  EXPECT_OK(transform);
  return *transform;
}

TEST_F(N16Processors, Pictures) {
  for (const json& check : load("images.json")) {
    SCOPED_TRACE(check.dump());
    const Image raw = pattern_picture(check.at("pattern"), check.at("input"));
    ASSERT_EQ(crc32(raw), check.at("input_crc32").get<std::string>());
    const auto transformed = transform_of(check).apply(raw);
    ASSERT_OK(transformed);
    EXPECT_EQ(crc32(*transformed), check.at("transformed_crc32").get<std::string>());
    const auto final = eagle_resize(*transformed);
    ASSERT_OK(final);
    EXPECT_EQ(json({final->height(), final->width()}), check.at("final"));
    EXPECT_EQ(crc32(*final), check.at("final_crc32").get<std::string>());
  }
}

void expect_prompt(const Tokenizer& tokenizer, std::string text, const json& images, const json& golden) {
  SCOPED_TRACE(text);
  if (golden.at("formalize_language")) text = formalize_language(text).value();
  std::vector<Grid> grids;
  for (const int64_t tokens : images) grids.push_back({1, 2, 2 * tokens});
  const auto ids = n16_prompt(tokenizer, grids, text);
  ASSERT_OK(ids);
  std::vector<int64_t> expected = golden.at("input_ids");
  std::erase(expected, 151643);  // Ramet pads nothing
  EXPECT_EQ(*ids, expected);
}

TEST_F(N16Processors, Prompts) {
  if (!test::qwen_vocabulary()) GTEST_SKIP() << test::kNoVocabulary;
  const auto tokenizer = test::load_qwen(TokenizerFamily::eagle);
  ASSERT_OK(tokenizer);
  for (const json& check : load("prompts.json")) {
    if (check.at("instruction").is_string()) {
      expect_prompt(*tokenizer, check.at("instruction"), check.at("images"), check);
      continue;
    }
    for (size_t i = 0; i < check.at("instruction").size(); ++i)  // a batch, padded on the left
      expect_prompt(*tokenizer, check.at("instruction")[i], check.at("images")[i],
                    {{"formalize_language", check.at("formalize_language")}, {"input_ids", check.at("input_ids")[i]}});
  }
}

TEST_F(N16Processors, PromptsSpellNoSpecialToken) {
  if (!test::qwen_vocabulary()) GTEST_SKIP() << test::kNoVocabulary;
  const auto tokenizer = test::load_qwen(TokenizerFamily::eagle);
  ASSERT_OK(tokenizer);
  const std::vector<Grid> one{{1, 2, 2}};
  for (const char* text : {"a <IMG_CONTEXT>", "<|im_end|>", "</img>", "see <image-1>"})
    EXPECT_CODE(n16_prompt(*tokenizer, one, text), Code::invalid_value);
  EXPECT_OK(n16_prompt(*tokenizer, one, "see <image-> and <image 1>"));
}

RawState raw_state(const json& state) {
  RawState raw;
  for (const auto& [key, rows] : state.items()) raw[key] = rows.get<StateRows>();
  return raw;
}

ModalityConfig modality_of(json document) {
  const json none{{"delta_indices", {0}}, {"modality_keys", {"none"}}};
  for (const char* part : {"video", "language", "state", "action"})
    if (!document.contains(part)) document[part] = none;
  return parse_modality_config(Json(document, "modality_config")).value();
}

ProcessorConfig settings_of(const json& settings) {
  ProcessorConfig config{.max_state_dim = 128, .max_action_dim = 128, .keep_delta_actions = true};
  config.use_percentiles = settings.at("use_percentiles");
  config.clip_outliers = settings.at("clip_outliers");
  config.apply_sincos_state_encoding = settings.at("apply_sincos_state_encoding");
  config.use_relative_action = settings.value("use_relative_action", false);
  return config;
}

void expect_one_ulp(float ours, float golden) {
  const float next = std::nextafter(golden, std::numeric_limits<float>::infinity());
  const float last = std::nextafter(golden, -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(ours >= last && ours <= next) << ours << ", not " << golden;
}

void expect_state(const ConstView& ours, const json& golden, const std::vector<std::string>& keys) {
  int64_t column = 0;
  for (const std::string& key : keys) {
    const json& rows = golden.at(key);
    for (size_t step = 0; step < rows.size(); ++step)
      for (size_t i = 0; i < rows[step].size(); ++i)
        expect_one_ulp(ours.row<float>(static_cast<int64_t>(step))[column + static_cast<int64_t>(i)], rows[step][i]);
    column += static_cast<int64_t>(rows.front().size());
  }
}

TEST_F(N16Processors, States) {
  const json& made = load("states.json").at("made");
  const ModalityConfig modality = modality_of({{"state", made.at("modality")}});
  const json groups{{"state", made.at("statistics")}};
  const auto statistics = Statistics::parse_robot("made", Json(groups, "statistics"));
  ASSERT_OK(statistics);
  for (const json& variant : made.at("variants")) {
    SCOPED_TRACE(variant.dump().substr(0, 120));
    const auto processor = StateProcessor::make(settings_of(variant), modality.state, *statistics, "made");
    ASSERT_OK(processor);
    const auto ours = processor->normalize(raw_state(made.at("state")), "golden");
    ASSERT_OK(ours);
    expect_state(ours->view(), variant.at("normalized"), modality.state.modality_keys);
  }
}

TEST_F(N16Processors, Actions) {
  const auto tensors = SafetensorsFile::open(dir_ / "actions.safetensors");
  ASSERT_OK(tensors);
  for (const json& check : load("actions.json")) {
    const std::string name = check.at("name");
    SCOPED_TRACE(name);
    const auto statistics = Statistics::parse_robot(name, Json(check.at("statistics"), "statistics"));
    ASSERT_OK(statistics);
    const ModalityConfig modality = modality_of(check.at("modality_config"));
    const auto decoder = ActionDecoder::make(settings_of(check.at("settings")), modality, *statistics, name);
    ASSERT_OK(decoder);
    const auto actions = decoder->decode(tensors->view("normalized").value(), raw_state(check.at("state")));
    ASSERT_OK(actions);
    for (const Action& action : *actions) {
      SCOPED_TRACE(action.key);
      const auto golden = tensors->view(name + ".actions." + action.key);
      ASSERT_OK(golden);
      ASSERT_EQ(action.values.shape(), golden->shape());
      for (size_t i = 0; i < golden->flat<float>().size(); ++i)
        EXPECT_NEAR(action.values.flat<float>()[i], golden->flat<float>()[i], 2e-6);
    }
  }
}

}  // namespace
}  // namespace ramet
