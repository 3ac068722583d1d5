#include "policy/text/prompt.h"

#include "base/json.h"
#include "policy/text/formalize.h"
#include "policy/text/positions.h"
#include "policy/text/test_support.h"
#include "support/assertions.h"
#include "support/paths.h"
#include "weights/safetensors.h"

#include <gmock/gmock.h>

namespace ramet {
namespace {

using Ids = std::vector<int64_t>;
using testing::ElementsAre;
using testing::HasSubstr;

const VisionPads kPads{.image = 151655, .video = 151656};
const std::vector<std::string> kSpecial{"<|endoftext|>",  "<|im_start|>",  "<|im_end|>",   "<|vision_start|>",
                                        "<|vision_end|>", "<|image_pad|>", "<|video_pad|>"};

Ids tap(const SafetensorsFile& file, const std::string& name) {
  const auto view = file.view(name);
  if (!view || view->dtype() != DType::i64) return {};
  const auto flat = view->flat<int64_t>();
  return {flat.begin(), flat.end()};
}

std::vector<Grid> grids(const Ids& rows) {
  std::vector<Grid> result;
  for (size_t i = 0; i + 2 < rows.size(); i += 3) result.push_back({rows[i], rows[i + 1], rows[i + 2]});
  return result;
}

class PromptGolden : public testing::Test {
 protected:
  // False, and the test marked as skipped, without the case or a vocabulary.
  bool open(const std::string& name) {
    directory_ = test::golden_dir(name).value_or("");
    if (directory_.empty() || !test::qwen_vocabulary()) return false;
    auto taps = SafetensorsFile::open(directory_ / "fp32.safetensors");
    EXPECT_OK(taps);
    auto tokenizer = test::load_qwen();
    EXPECT_OK(tokenizer);
    if (!taps || !tokenizer) return false;
    taps_.emplace(std::move(*taps));
    tokenizer_.emplace(std::move(*tokenizer));
    return true;
  }
  std::string instruction(const std::string& inputs) const {
    const auto file = JsonFile::load(directory_ / inputs / "observation.json");
    const auto language = file->root().at("language")->items();
    return *language->at(0).second.as<std::string>();
  }

  std::filesystem::path directory_;
  std::optional<SafetensorsFile> taps_;
  std::optional<Tokenizer> tokenizer_;
};

struct N17Layout {
  std::string golden, prefix, grid, inputs;
};
const N17Layout kN17Layouts[] = {{"n17_droid", "", "pre.grid_thw", "inputs"},
                                 {"n17_odd", "", "pre.grid_thw", "inputs"},
                                 {"n17_libero", "", "pre.grid_thw", "inputs"},
                                 {"n17_full", "droid.", "pre.grid", "inputs/droid"},
                                 {"n17_full", "libero1.", "pre.grid", "inputs/libero1"}};

TEST_F(PromptGolden, N17IdsAndPositions) {
  for (const N17Layout& layout : kN17Layouts) {
    SCOPED_TRACE(layout.golden + " " + layout.prefix);
    if (!open(layout.golden)) GTEST_SKIP() << "no golden " << layout.golden << ", or " << test::kNoVocabulary;
    const auto images = grids(tap(*taps_, layout.prefix + layout.grid));
    const auto formal = formalize_language(instruction(layout.inputs));
    ASSERT_OK(formal);
    const auto ids = n17_prompt(*tokenizer_, images, *formal);
    ASSERT_OK(ids);
    EXPECT_EQ(*ids, tap(*taps_, layout.prefix + "pre.input_ids"));
    const auto positions = mrope_positions(*ids, kPads, images);
    ASSERT_OK(positions);
    if (!layout.prefix.empty()) continue;  // n17_full keeps no positions
    EXPECT_EQ(positions->values, tap(*taps_, "pre.positions"));
  }
}

TEST_F(PromptGolden, ChatWithImages) {
  if (!open("qwen3vl_full")) GTEST_SKIP() << "no golden qwen3vl_full, or " << test::kNoVocabulary;
  const auto images = grids(tap(*taps_, "pre.image_grid_thw"));
  ASSERT_EQ(images.size(), 2u);
  const std::vector<PromptPart> parts{ImagePart{images[0]}, TextPart{"Compare it with "}, ImagePart{images[1]},
                                      TextPart{" and say what moved.\n"}};
  const auto ids = chat_prompt(*tokenizer_, parts);
  ASSERT_OK(ids);
  EXPECT_EQ(*ids, tap(*taps_, "pre.input_ids"));
  const auto positions = mrope_positions(*ids, kPads, images);
  ASSERT_OK(positions);
  EXPECT_EQ(positions->values, tap(*taps_, "pre.positions"));
  EXPECT_THAT(tap(*taps_, "pre.rope_delta"), ElementsAre(positions->delta));
}

TEST_F(PromptGolden, ChatWithVideo) {
  if (!open("qwen3vl_video")) GTEST_SKIP() << "no golden qwen3vl_video, or " << test::kNoVocabulary;
  const auto videos = grids(tap(*taps_, "pre.video_grid_thw"));
  ASSERT_EQ(videos.size(), 1u);
  // Frames 0 2 5 8 10 10 at 4 per second.
  const std::vector<PromptPart> parts{VideoPart{videos[0], {0.25, 1.625, 2.5}}, TextPart{"What does the robot do?"}};
  for (const auto& [wrap, suffix] :
       {std::pair{VideoWrap::keep_outer, ""}, std::pair{VideoWrap::replace_triple, ".transformers_4_57"}}) {
    const auto ids = chat_prompt(*tokenizer_, parts, {.video_wrap = wrap});
    ASSERT_OK(ids);
    EXPECT_EQ(*ids, tap(*taps_, std::string("pre.input_ids") + suffix));
    const auto positions = mrope_positions(*ids, kPads, {}, videos);
    ASSERT_OK(positions);
    EXPECT_EQ(positions->values, tap(*taps_, std::string("pre.positions") + suffix));
    EXPECT_THAT(tap(*taps_, "pre.rope_delta"), ElementsAre(positions->delta));
  }
}

TEST(PromptGoldenText, FourImagesOfN17) {
  const auto directory = test::golden_dir("n17_processors");
  if (!directory || !test::qwen_vocabulary()) GTEST_SKIP() << "no golden n17_processors, or " << test::kNoVocabulary;
  const auto tokenizer = test::load_qwen();
  ASSERT_OK(tokenizer);
  const auto file = JsonFile::load(*directory / "text.json");
  ASSERT_OK(file);
  const Json four = *file->root().at("four_images_256x455");
  const auto ids = n17_prompt(*tokenizer, std::vector<Grid>(4, {1, 16, 28}), *four.get<std::string>("instruction"));
  ASSERT_OK(ids);
  EXPECT_EQ(*ids, test::expand_runs(*four.get<std::vector<std::vector<double>>>("input_ids_rle")));
}

TEST(Prompt, TextThatTouchesIsEncodedAsOne) {
  const auto tokenizer = test::tiny_tokenizer({{"a", "b"}}, kSpecial);
  ASSERT_OK(tokenizer);
  const std::vector<PromptPart> split{TextPart{"a"}, TextPart{"b"}};
  const std::vector<PromptPart> whole{TextPart{"ab"}};
  EXPECT_EQ(*chat_prompt(*tokenizer, split), *chat_prompt(*tokenizer, whole));
}

TEST(Prompt, RefusesWhatDoesNotFit) {
  const auto tokenizer = test::tiny_tokenizer({}, kSpecial);
  ASSERT_OK(tokenizer);
  const auto prompt = [&](PromptPart part) {
    return chat_prompt(*tokenizer, std::vector<PromptPart>{std::move(part)});
  };
  EXPECT_CODE(prompt(TextPart{"see <|image_pad|>"}), Code::invalid_value);
  EXPECT_CODE(prompt(TextPart{"see <|video_pad|>"}), Code::invalid_value);
  EXPECT_CODE(prompt(TextPart{"\xFF"}), Code::invalid_value);
  EXPECT_CODE(prompt(ImagePart{{1, 3, 4}}), Code::invalid_value);
  EXPECT_CODE(prompt(ImagePart{{2, 4, 4}}), Code::invalid_value);
  EXPECT_CODE(prompt(ImagePart{{1, 0, 4}}), Code::invalid_value);
  EXPECT_CODE(prompt(ImagePart{{1, 1 << 20, 1 << 20}}), Code::invalid_value);
  EXPECT_CODE(prompt(VideoPart{{2, 4, 4}, {0.5}}), Code::invalid_value);
  EXPECT_CODE(prompt(VideoPart{{1, 4, 4}, {std::numeric_limits<double>::quiet_NaN()}}), Code::invalid_value);
}

TEST(Prompt, NeedsTheSpecialTokens) {
  const auto without = test::tiny_tokenizer({}, {"<|endoftext|>"});
  ASSERT_OK(without);
  const auto ids = n17_prompt(*without, {}, "go");
  EXPECT_CODE(ids, Code::not_found);
  EXPECT_THAT(ids.error().message(), HasSubstr("<|im_start|>"));
  const auto tokenizer = test::tiny_tokenizer({}, kSpecial);
  ASSERT_OK(tokenizer);
  EXPECT_OK(check_special_token(*tokenizer, "<|image_pad|>", 261, "config.json: image_token_id"));
  EXPECT_CODE(check_special_token(*tokenizer, "<|image_pad|>", 260, "config.json: image_token_id"), Code::invalid_file);
}

// The worked examples of the spec; 9 stands for the image pad, 8 for the video pad.
TEST(Positions, WorkedExamples) {
  const VisionPads pads{.image = 9, .video = 8};
  const auto one = mrope_positions(Ids{1, 2, 3, 9, 9, 9, 9, 9, 9, 4, 5, 6}, pads, std::vector<Grid>{{1, 4, 6}});
  ASSERT_OK(one);
  EXPECT_EQ(one->values, (Ids{0, 1, 2, 3, 3, 3, 3, 3, 3, 6, 7, 8,  //
                              0, 1, 2, 3, 3, 3, 4, 4, 4, 6, 7, 8,  //
                              0, 1, 2, 3, 4, 5, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(one->delta, -3);
  const auto two =
      mrope_positions(Ids{5, 1, 9, 9, 9, 9, 2, 6, 1, 9, 9, 9, 2, 7}, pads, std::vector<Grid>{{1, 4, 4}, {1, 2, 6}});
  ASSERT_OK(two);
  EXPECT_EQ(two->values, (Ids{0, 1, 2, 2, 2, 2, 4, 5, 6, 7, 7, 7, 10, 11,  //
                              0, 1, 2, 2, 3, 3, 4, 5, 6, 7, 7, 7, 10, 11,  //
                              0, 1, 2, 3, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(two->delta, -2);
  const auto tall = mrope_positions(Ids{9, 9, 9, 1}, pads, std::vector<Grid>{{1, 6, 2}});
  ASSERT_OK(tall);
  EXPECT_EQ(tall->values, (Ids{0, 0, 0, 3, 0, 1, 2, 3, 0, 0, 0, 3}));
  EXPECT_THAT(mrope_positions(Ids{}, pads, {})->values, ElementsAre());
}

TEST(Positions, RefuseRunsThatAreNoItem) {
  const VisionPads pads{.image = 9, .video = 8};
  const std::vector<Grid> square{{1, 4, 4}};
  const std::vector<Grid> two{{1, 2, 4}, {1, 2, 4}};
  const std::vector<Grid> film{{2, 2, 2}};
  EXPECT_CODE(mrope_positions(Ids{1, 9, 9, 9}, pads, square), Code::invalid_value);
  EXPECT_CODE(mrope_positions(Ids{1, 9, 9, 9, 9}, pads, {}), Code::invalid_value);
  EXPECT_CODE(mrope_positions(Ids{1, 2}, pads, square), Code::invalid_value);
  EXPECT_CODE(mrope_positions(Ids{9, 9, 9, 9}, pads, two), Code::invalid_value);  // two images that touch
  EXPECT_OK(mrope_positions(Ids{9, 9, 1, 9, 9}, pads, two));
  EXPECT_CODE(mrope_positions(Ids{8, 1}, pads, {}, film), Code::invalid_value);  // one of two frame groups
  EXPECT_OK(mrope_positions(Ids{8, 1, 8}, pads, {}, film));
  EXPECT_CODE(mrope_positions(Ids{9}, pads, std::vector<Grid>{{1, 3, 2}}), Code::invalid_value);
}

}  // namespace
}  // namespace ramet
