// What opening a GR00T N1.5 directory refuses, and what becomes of an observation.
#include "policy/recipe.h"

#include "base/atomic_file.h"
#include "base/json.h"
#include "policy/synth/gr00t_n15_layout.h"
#include "policy/text/test_support.h"
#include "support/assertions.h"
#include "support/made_once.h"
#include "support/paths.h"
#include "support/scratch_folder.h"
#include "weights/tensor_list.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

namespace ramet {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

fs::path tiny_n15() {
  return test::made_once("gr00t_n15_recipe", [](const fs::path& out) {
    ThreadPool pool(1);
    ASSERT_OK(write_layout(gr00t_n15_layout(SynthSize::tiny), out, Existing::refuse, {}, pool));
  });
}

std::map<std::string, std::string> shapes(const std::vector<TensorSpec>& tensors) {
  std::map<std::string, std::string> result;
  for (const TensorSpec& tensor : tensors) result[tensor.name] = str(tensor.shape);
  return result;
}

TEST(N15Layout, HasTheTensorsOfTheGoldenCases) {
  for (const auto& [name, size] : {std::pair{"n15_one", SynthSize::tiny}, std::pair{"n15_full", SynthSize::full}}) {
    const auto dir = test::golden_dir(name);
    if (!dir) GTEST_SKIP() << "the golden case " << name << " is not on this machine";
    const auto list = load_tensor_list(*dir / "checkpoint/tensors.tsv");
    ASSERT_OK(list);
    std::vector<TensorSpec> golden;
    for (const ListedTensor& tensor : *list) golden.push_back(tensor.spec);
    EXPECT_EQ(shapes(gr00t_n15_layout(size).tensors), shapes(golden)) << name;
  }
}

class N15Recipe : public testing::Test {
 protected:
  void SetUp() override {
    const auto vocabulary = test::qwen_vocabulary();
    if (!vocabulary) GTEST_SKIP() << test::kNoVocabulary;
    options_.embodiment = "gr1";
    options_.engine.tokenizer = *vocabulary;
    observation_.video["ego_view"] = {{pixels_, 256, 256}};
    for (const char* arm : {"left_arm", "right_arm"}) observation_.state[arm] = {std::vector<float>(7)};
    for (const char* hand : {"left_hand", "right_hand"}) observation_.state[hand] = {std::vector<float>(6)};
    observation_.language["annotation.anything"] = "pick up the red block";
  }

  Result<std::unique_ptr<Recipe>> open() const { return open_recipe(tiny_n15(), options_); }
  size_t tokens() const { return open().value()->preprocess(observation_).value().input_ids.size(); }

  // Opening a copy of the directory after `change` of one of its JSON files.
  template <class Change>
  Result<std::unique_ptr<Recipe>> open_changed(const fs::path& file, const Change& change) const {
    const test::ScratchFolder copy;
    fs::create_directories(copy / "experiment_cfg");
    for (const fs::path name : {"config.json", "experiment_cfg/metadata.json"}) {
      json document = JsonFile::load(tiny_n15() / name).value().root().raw();
      if (name == file) change(document);
      EXPECT_OK(write_file(copy / name, document.dump()));
    }
    fs::create_hard_link(tiny_n15() / "model.safetensors", copy / "model.safetensors");
    return open_recipe(copy.path(), options_);
  }

  std::vector<uint8_t> pixels_ = std::vector<uint8_t>(256 * 256 * 3);
  Observation observation_;
  PolicyOptions options_;
};

TEST_F(N15Recipe, TurnsAnObservationIntoInputs) {
  const auto recipe = open();
  ASSERT_OK(recipe);
  EXPECT_EQ((*recipe)->embodiment(), "gr1");
  EXPECT_EQ((*recipe)->horizon(), 16);
  const auto inputs = (*recipe)->preprocess(observation_);
  ASSERT_OK(inputs);
  EXPECT_EQ(str(inputs->pixels.shape()), "[1,3,224,224]");
  EXPECT_EQ(str(inputs->state.shape()), "[1,64]");
  EXPECT_EQ(inputs->layout.text.visual_rows.size(), 256U);
}

// Every frame is a picture of its own, with its 256 tokens.
TEST_F(N15Recipe, SeveralFramesOfAView) {
  std::vector<uint8_t> later(pixels_.size(), 200);
  observation_.video["ego_view"].push_back({later, 256, 256});
  const auto inputs = open().value()->preprocess(observation_);
  ASSERT_OK(inputs);
  EXPECT_EQ(str(inputs->pixels.shape()), "[2,3,224,224]");
  EXPECT_EQ(inputs->layout.grids.size(), 2U);
  EXPECT_EQ(inputs->layout.text.visual_rows.size(), 512U);
  EXPECT_LT(inputs->pixels.flat<float>().front(), 0);  // the oldest first
  EXPECT_GT(inputs->pixels.flat<float>().back(), 0);
}

// A file saved again may hold lm_head in place of embed_tokens; one of the two must be there.
TEST_F(N15Recipe, TokenTableMayBeTheHead) {
  for (const bool with_head : {true, false}) {
    SynthLayout layout = gr00t_n15_layout(SynthSize::tiny);
    std::erase_if(layout.tensors, [&](const TensorSpec& tensor) {
      return tensor.name.ends_with(".embed_tokens.weight") || (!with_head && tensor.name.ends_with("lm_head.weight"));
    });
    const test::ScratchFolder folder;
    ThreadPool pool(1);
    ASSERT_OK(write_layout(layout, folder / "checkpoint", Existing::refuse, {}, pool));
    const auto recipe = open_recipe(folder / "checkpoint", options_);
    if (with_head)
      EXPECT_OK(recipe);
    else
      EXPECT_CODE(recipe, Code::not_found);
  }
}

TEST_F(N15Recipe, InstructionHasTwoForms) {
  EXPECT_EQ(tokens(), 289U);
  options_.engine.quirks["prompt"] = "plain";
  EXPECT_EQ(tokens(), 287U);
  observation_.language.clear();  // "Perform the default behavior."
  EXPECT_EQ(tokens(), 287U);
  observation_.language = {{"annotation.a", "one"}, {"annotation.b", "two"}};
  EXPECT_CODE(open().value()->preprocess(observation_), Code::invalid_value);
  observation_.language = {{"", std::string(size_t{1} << 17, 'a')}};
  EXPECT_CODE(open().value()->preprocess(observation_), Code::invalid_value);
}

TEST_F(N15Recipe, RefusesOtherRobotsAndConfigurations) {
  options_.data_config = "oxe_droid";
  EXPECT_CODE(open(), Code::not_found);
  options_.data_config.clear();
  options_.embodiment = "so100";
  EXPECT_CODE(open(), Code::not_found);
  options_.embodiment.clear();
  EXPECT_CODE(open(), Code::usage);
}

TEST_F(N15Recipe, RefusesTheConfigOfAnotherVersion) {
  const auto other = open_changed("config.json", [](json& config) { config["model_type"] = "Gr00tN1d7"; });
  EXPECT_CODE(other, Code::unsupported);
  EXPECT_NE(other.error().message().find("a GR00T N1.5 checkpoint"), std::string::npos);
  EXPECT_CODE(open_changed("config.json", [](json& config) { config["model_type"] = "pi0"; }), Code::unsupported);
}

TEST_F(N15Recipe, RefusesAConfigThatTheTensorsContradict) {
  const auto with = [&](const char* pointer, const json& value) {
    return open_changed("config.json", [&](json& config) { config[json::json_pointer(pointer)] = value; });
  };
  EXPECT_CODE(with("/backbone_cfg/select_layer", 4), Code::invalid_value);
  EXPECT_CODE(with("/backbone_cfg/reproject_vision", true), Code::unsupported);
  EXPECT_CODE(with("/action_head_cfg/num_target_vision_tokens", 16), Code::invalid_value);
  EXPECT_CODE(with("/action_head_cfg/diffusion_model_cfg/num_layers", 3), Code::invalid_value);
  EXPECT_CODE(with("/action_head_cfg/diffusion_model_cfg/norm_type", "layer_norm"), Code::unsupported);
  EXPECT_CODE(with("/action_head_cfg/diffusion_model_cfg/cross_attention_dim", 64), Code::invalid_value);
  EXPECT_CODE(with("/action_head_cfg/diffusion_model_cfg/positional_embeddings", "sin"), Code::unsupported);
  EXPECT_CODE(with("/action_head_cfg/vl_self_attention_cfg/num_layers", 1), Code::invalid_value);
  EXPECT_CODE(with("/action_head_cfg/backbone_embedding_dim", 64), Code::invalid_value);
  EXPECT_CODE(with("/action_head_cfg/input_embedding_dim", 96), Code::invalid_value);
  EXPECT_CODE(with("/action_head_cfg/max_state_dim", 80), Code::shape_mismatch);
}

}  // namespace
}  // namespace ramet
