// What opening a GR00T N1.7 directory refuses, and what becomes of an observation.
#include "policy/recipe.h"

#include "policy/gr00t_n17_sizes.h"
#include "policy/testing.h"
#include "policy/text/test_support.h"
#include "support/assertions.h"
#include "support/made_once.h"
#include "weights/finite.h"

#include <gmock/gmock.h>

namespace ramet {
namespace {

using nlohmann::json;
using test::Scene;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class N17Recipe : public testing::Test {
 protected:
  void SetUp() override {
    if (!test::qwen_vocabulary()) GTEST_SKIP() << test::kNoVocabulary;
  }
  static Result<std::unique_ptr<Recipe>> open(const std::filesystem::path& directory,
                                              const std::string& embodiment = test::kGoogle) {
    return open_recipe(directory, test::tiny_options(embodiment));
  }
  static std::unique_ptr<Recipe> tiny(const PolicyOptions& options) {
    return open_recipe(test::tiny_directory("n17"), options).value();
  }

  // Opening fails after `change` of `file`, and the message holds all of `parts`.
  static void expect_refused(const std::string& file, const std::function<void(json&)>& change, Code code,
                             const std::vector<std::string>& parts) {
    SCOPED_TRACE(file + " " + parts.front());
    const test::Copy copy(test::tiny_directory("n17"));
    copy.edit(file, change);
    const auto recipe = open(copy.path());
    EXPECT_CODE(recipe, code);
    for (const std::string& part : parts) EXPECT_THAT(recipe.error().message(), HasSubstr(part));
  }
};

TEST_F(N17Recipe, OpensItsRobots) {
  for (const char* tag : {test::kLibero, test::kDroid, test::kGoogle, "simpler_env_widowx", "LIBERO_PANDA"})
    EXPECT_OK(open(test::tiny_directory("n17"), tag));
  const auto unnamed = open(test::tiny_directory("n17"), "");
  EXPECT_CODE(unnamed, Code::usage);
  EXPECT_THAT(unnamed.error().message(), HasSubstr(test::kDroid));
  EXPECT_CODE(open(test::tiny_directory("n17"), "libero"), Code::not_found);
}

TEST_F(N17Recipe, DefaultsComeFromTheConfig) {
  const auto recipe = tiny(test::tiny_options(test::kLibero));
  EXPECT_EQ(recipe->embodiment(), test::kLibero);
  EXPECT_EQ(recipe->default_steps(), 4);
  EXPECT_EQ(str(recipe->noise_shape()), "[40,132]");
  EXPECT_EQ(recipe->horizon(), 16);
  EXPECT_EQ(find_not_finite(recipe->checkpoint()), "");
}

TEST_F(N17Recipe, OtherModels) {
  expect_refused("config.json", [](json& c) { c["model_type"] = "Gr00tN1d5"; }, Code::unsupported,
                 {"model_type", "Gr00tN1d5"});
  expect_refused("config.json", [](json& c) { c["model_type"] = "qwen3_vl"; }, Code::unsupported, {"encode"});
  expect_refused("config.json", [](json& c) { c.erase("model_type"); }, Code::not_found, {"config.json"});
  expect_refused("config.json", [](json& c) { c["type"] = "pi0"; }, Code::unsupported, {"type", "pi0"});
}

// The weights of every version beside a config.json that names another one.
TEST_F(N17Recipe, WeightsOfAnotherVersion) {
  const std::vector<std::array<std::string, 3>> versions{
      {"n15", "gr00t_n1_5", "N1.5"}, {"n16", "Gr00tN1d6", "N1.6"}, {"n17", "Gr00tN1d7", "N1.7"}};
  for (const auto& [directory, own_type, name] : versions)
    for (const auto& [other, type, other_name] : versions) {
      if (other == directory) continue;
      SCOPED_TRACE(directory + " as " + other);
      const test::Copy copy(test::tiny_directory(directory));
      copy.edit("config.json", [&](json& c) { c["model_type"] = type; });
      const auto recipe = open(copy.path(), "");
      EXPECT_CODE(recipe, Code::unsupported);
      EXPECT_THAT(recipe.error().message(), AllOf(HasSubstr(type), HasSubstr(name)));
    }
}

TEST_F(N17Recipe, CountsThatTheTensorsContradict) {
  expect_refused("config.json", [](json& c) { c["select_layer"] = 4; }, Code::invalid_value, {"select_layer", "5"});
  expect_refused("config.json", [](json& c) { c["diffusion_model_cfg"]["num_layers"] = 7; }, Code::invalid_value,
                 {"config.json: diffusion_model_cfg.num_layers", "expected 6", "found 7"});
  expect_refused("config.json", [](json& c) { c["vl_self_attention_cfg"]["num_layers"] = 1; }, Code::invalid_value,
                 {"config.json: vl_self_attention_cfg.num_layers", "expected 2"});
  expect_refused("config.json", [](json& c) { c.erase("vl_self_attention_cfg"); }, Code::invalid_value,
                 {"vl_self_attention_cfg.num_layers", "found 0"});
}

TEST_F(N17Recipe, WidthsThatTheTensorsContradict) {
  expect_refused("config.json", [](json& c) { c["max_num_embodiments"] = 31; }, Code::shape_mismatch,
                 {"action_head.", "[31,"});
  expect_refused("config.json",
                 [](json& c) {
                   c["hidden_size"] = 120;
                   c["diffusion_model_cfg"]["output_dim"] = 120;
                 },
                 Code::shape_mismatch, {"action_head."});
  expect_refused("config.json", [](json& c) { c["use_vlln"] = false; }, Code::surplus, {"action_head.vlln"});
  expect_refused("config.json", [](json& c) { c["add_pos_embed"] = false; }, Code::surplus, {"position_embedding"});
}

TEST_F(N17Recipe, CompanionOfOtherSizes) {
  const char* file = "backbone/config.json";
  expect_refused(file, [](json& c) { c["vision_config"]["depth"] = 7; }, Code::invalid_value,
                 {"backbone/config.json: vision_config.depth", "expected 6", "found 7"});
  expect_refused(file,
                 [](json& c) {
                   c["text_config"]["hidden_size"] = 256;
                   c["vision_config"]["out_hidden_size"] = 256;
                 },
                 Code::invalid_value, {"backbone_embedding_dim", "256", "192"});
  expect_refused(file, [](json& c) { c["vision_config"]["patch_size"] = 14; }, Code::invalid_value, {"patch_size"});
  expect_refused(file, [](json& c) { c["vision_config"]["in_channels"] = 4; }, Code::invalid_value, {"in_channels"});
  expect_refused(file, [](json& c) { c["vision_config"]["temporal_patch_size"] = 1; }, Code::invalid_value,
                 {"temporal_patch_size"});
  expect_refused(file, [](json& c) { c["vision_config"]["spatial_merge_size"] = 1; }, Code::invalid_value,
                 {"spatial_merge_size"});
  expect_refused(file, [](json& c) { c["vision_config"]["intermediate_size"] = 449; }, Code::shape_mismatch,
                 {"linear_fc1"});
  expect_refused(file,
                 [](json& c) {
                   c["vision_config"]["deepstack_visual_indexes"] = {1, 2};
                 },
                 Code::surplus, {"deepstack_merger_list.2"});
  expect_refused(file, [](json& c) { c["model_type"] = "qwen3_5"; }, Code::unsupported, {"model_type", "qwen3_vl"});
}

// A backbone with more deepstack levels than text layers: the last ones would never be added.
TEST_F(N17Recipe, MoreLevelsThanLayers) {
  const test::Copy copy(test::tiny_directory("n17"));
  const Checkpoint checkpoint = Checkpoint::open(copy.path()).value();
  Gr00tN17Config config = released_gr00t_n17_config();
  config.backbone_embedding_dim = 192;
  config.select_layer = 5;
  config.input_embedding_dim = 144;
  config.diffusion_model_cfg = {.num_layers = 6, .num_attention_heads = 3};
  config.vl_self_attention_cfg.num_layers = 2;
  BackboneConfig backbone =
      find_backbone_config({.chosen = copy.path() / "backbone", .checkpoint = {}, .hub_cache = {}, .model_name = {}})
          .value();
  EXPECT_OK(checked_gr00t_n17_sizes(config, "config.json", backbone, checkpoint));
  backbone.config.vision.deepstack_visual_indexes = {0, 1, 2, 3, 4, 5};
  const auto sizes = checked_gr00t_n17_sizes(config, "config.json", backbone, checkpoint);
  EXPECT_CODE(sizes, Code::invalid_value);
  EXPECT_EQ(sizes.error().where, "config.json: select_layer");
}

// Every token of the tokenizer must have a row, or ids would point behind the table.
TEST_F(N17Recipe, TokensWithoutARow) {
  const auto small = test::made_once("n17-256-rows", [](const std::filesystem::path& out) {
    SynthLayout layout = published_layout("n17", SynthSize::tiny).value();
    for (TensorSpec& tensor : layout.tensors)
      if (tensor.shape[0] == 151936) tensor.shape = Shape{256, tensor.shape[1]};
    ThreadPool pool(2);
    ASSERT_OK(write_layout(layout, out, Existing::refuse, {}, pool));
  });
  const test::Copy copy(small);
  copy.edit("backbone/config.json", [](json& c) { c["text_config"]["vocab_size"] = 256; });
  const auto recipe = open(copy.path());
  EXPECT_CODE(recipe, Code::invalid_value);
  EXPECT_THAT(recipe.error().message(), HasSubstr("backbone/config.json: text_config.vocab_size"));
  EXPECT_THAT(recipe.error().message(), HasSubstr("151669"));
}

TEST_F(N17Recipe, IdsOfAnotherTokenizer) {
  for (const char* key : {"image_token_id", "vision_start_token_id", "vision_end_token_id"})
    expect_refused("backbone/config.json", [&](json& c) { c[key] = 151650; }, Code::invalid_file, {key, "151650"});
}

TEST_F(N17Recipe, MissingFiles) {
  for (const char* file : {"processor_config.json", "statistics.json", "config.json"}) {
    const test::Copy copy(test::tiny_directory("n17"));
    std::filesystem::remove(copy.path() / file);
    const auto recipe = open(copy.path());
    EXPECT_CODE(recipe, Code::not_found);
    EXPECT_THAT(recipe.error().message(), HasSubstr(file));
  }
  PolicyOptions options = test::tiny_options(test::kGoogle);
  options.engine.tokenizer.clear();
  const auto no_tokenizer = open_recipe(test::tiny_directory("n17"), options);
  EXPECT_CODE(no_tokenizer, Code::not_found);
  EXPECT_THAT(no_tokenizer.error().message(), HasSubstr("--tokenizer"));
}

TEST_F(N17Recipe, UnknownQuirk) {
  PolicyOptions options = test::tiny_options(test::kGoogle);
  options.engine.quirks = {{"letterbox", "never"}};
  EXPECT_CODE(open_recipe(test::tiny_directory("n17"), options), Code::usage);
}

TEST_F(N17Recipe, LayoutOfDroid) {
  Scene scene(test::kDroid, {180, 320});
  const auto inputs = tiny(test::tiny_options(test::kDroid))->preprocess(scene.observation);
  ASSERT_OK(inputs);
  EXPECT_EQ(inputs->layout.grids, std::vector<Grid>(4, Grid{1, 16, 28}));
  EXPECT_EQ(str(inputs->pixels.shape()), "[1792,1536]");
  EXPECT_EQ(str(inputs->state.shape()), "[1,132]");
  const auto& text = inputs->layout.text;
  ASSERT_EQ(text.visual_rows.size(), 4U * 112);
  EXPECT_EQ(static_cast<size_t>(text.tokens()), inputs->input_ids.size());
  const auto position = [&](size_t token) {
    return std::vector{text.positions[0][token], text.positions[1][token], text.positions[2][token]};
  };
  EXPECT_THAT(position(3), ElementsAre(3, 3, 3));
  EXPECT_THAT(position(17), ElementsAre(4, 4, 17));
  EXPECT_THAT(position(115), ElementsAre(4, 11, 17));
  EXPECT_THAT(position(116), ElementsAre(18, 18, 18));
  EXPECT_THAT(position(229), ElementsAre(20, 27, 33));
  for (const size_t start : {3, 117, 231, 345}) EXPECT_EQ(inputs->input_ids[start], 151652) << start;
}

// As releases up to 65cc4a1 did: squares, of 64 tokens each.
TEST_F(N17Recipe, LetterboxAlways) {
  Scene scene(test::kDroid, {180, 320});
  PolicyOptions options = test::tiny_options(test::kDroid);
  options.engine.quirks = {{"letterbox", "always"}};
  const auto inputs = tiny(options)->preprocess(scene.observation);
  ASSERT_OK(inputs);
  EXPECT_EQ(inputs->layout.grids, std::vector<Grid>(4, Grid{1, 16, 16}));
  EXPECT_EQ(inputs->layout.text.visual_rows.size(), 4U * 64);
}

// Oldest first, and the cameras of one time in the order of the checkpoint.
TEST_F(N17Recipe, PicturesAreTimeMajor) {
  Scene scene(test::kDroid);
  const auto recipe = tiny(test::tiny_options(test::kDroid));
  const auto pixels_of = [&](const Observation& observation) {
    const auto inputs = recipe->preprocess(observation).value();
    const auto values = inputs.pixels.flat<float>();
    return std::vector<float>(values.begin(), values.end());
  };
  const std::vector<float> all = pixels_of(scene.observation);
  auto& video = scene.observation.video;
  std::swap(video.at("exterior_image_1_left")[1], video.at("wrist_image_left")[0]);  // 2 and 1 in that order
  const std::vector<float> swapped = pixels_of(scene.observation);
  const auto quarter = static_cast<ptrdiff_t>(all.size() / 4);
  const auto part = [&](const std::vector<float>& values, ptrdiff_t i) {
    return std::vector<float>(values.begin() + i * quarter, values.begin() + (i + 1) * quarter);
  };
  EXPECT_EQ(part(swapped, 0), part(all, 0));
  EXPECT_EQ(part(swapped, 1), part(all, 2));
  EXPECT_EQ(part(swapped, 2), part(all, 1));
  EXPECT_EQ(part(swapped, 3), part(all, 3));
}

TEST_F(N17Recipe, CamerasOfDifferentAspect) {
  Scene scene(test::kLibero);
  scene.resize("wrist_image", {180, 320});
  const auto recipe = tiny(test::tiny_options(test::kLibero));
  const auto inputs = recipe->preprocess(scene.observation);
  EXPECT_CODE(inputs, Code::shape_mismatch);
  EXPECT_THAT(inputs.error().message(), HasSubstr("256x455"));
  scene.resize("wrist_image", {512, 512});  // another size of the same aspect is fine
  EXPECT_OK(recipe->preprocess(scene.observation));
}

TEST_F(N17Recipe, ObservationsThatDoNotFit) {
  const auto recipe = tiny(test::tiny_options(test::kLibero));
  Scene scene(test::kLibero);
  const auto refused = [&](const std::function<void(Observation&)>& change) {
    Observation observation = scene.observation;
    change(observation);
    return recipe->preprocess(observation);
  };
  EXPECT_CODE(refused([](Observation& o) { o.video.erase("image"); }), Code::not_found);
  EXPECT_CODE(refused([](Observation& o) { o.video["top"] = o.video["image"]; }), Code::surplus);
  EXPECT_CODE(refused([](Observation& o) { o.video["image"].clear(); }), Code::shape_mismatch);
  EXPECT_CODE(refused([](Observation& o) { o.state["gripper"] = {{0.1F}}; }), Code::shape_mismatch);
  EXPECT_CODE(refused([](Observation& o) { o.state.erase("x"); }), Code::not_found);
  EXPECT_CODE(refused([](Observation& o) { o.language[""] = "\xff"; }), Code::invalid_value);
  EXPECT_CODE(refused([](Observation& o) { o.language.clear(); }), Code::not_found);
  EXPECT_CODE(refused([](Observation& o) { o.video["image"][0].height = 3; }), Code::shape_mismatch);
  EXPECT_CODE(refused([](Observation& o) { o.video["image"][0] = {}; }), Code::invalid_value);
  EXPECT_OK(refused([](Observation& o) { o.language[""] = ""; }));  // passed through
}

TEST(Recipe, DirectoriesThatAreNone) {
  EXPECT_CODE(open_recipe("/nonexistent", {}), Code::not_found);
  const auto tower = open_recipe(test::tiny_directory("qwen3.5-0.8b"), {});
  EXPECT_CODE(tower, Code::unsupported);
  EXPECT_THAT(tower.error().message(), HasSubstr("qwen3_5"));
}

}  // namespace
}  // namespace ramet
