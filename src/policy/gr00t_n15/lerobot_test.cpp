// A GR00T N1.5 directory in LeRobot's format: what its files say, and what is refused.
#include "policy/recipe.h"

#include "base/atomic_file.h"
#include "policy/image/resample.h"
#include "policy/synth/gr00t_n15_layout.h"
#include "policy/text/test_support.h"
#include "support/assertions.h"
#include "support/made_once.h"
#include "support/scratch_folder.h"
#include "weights/checkpoint_kind.h"
#include "weights/safetensors_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <optional>

namespace ramet {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

const char* const kPackTensors = "policy_preprocessor_step_2_groot_pack_inputs_v3.safetensors";
const char* const kUnpackTensors = "policy_postprocessor_step_0_groot_action_unpack_unnormalize_v1.safetensors";

// Tiny weights under LeRobot's names.
fs::path tiny_weights() {
  return test::made_once("lerobot_n15", [](const fs::path& out) {
    SynthLayout layout = gr00t_n15_layout(SynthSize::tiny);
    for (TensorSpec& tensor : layout.tensors) tensor.name.insert(0, kLeRobotPrefix);
    ThreadPool pool(1);
    ASSERT_OK(write_layout(layout, out, Existing::refuse, {}, pool));
  });
}

json step(const char* name, const json& config, const char* tensors = nullptr) {
  json node{{"registry_name", name}, {"config", config}};
  if (tensors) node["state_file"] = tensors;
  return node;
}

class N15Lerobot : public testing::Test {
 protected:
  void SetUp() override {
    const auto vocabulary = test::qwen_vocabulary();
    if (!vocabulary) GTEST_SKIP() << test::kNoVocabulary;
    options_.engine.tokenizer = *vocabulary;
    for (size_t i = 0; i < small_.size(); ++i) small_[i] = static_cast<uint8_t>(i * 7 + i / 144 * 3);
    observation_.video["observation.images.wrist"] = {{small_, 64, 48}};
    observation_.video["observation.images.front"] = {{large_, 224, 224}};
    observation_.state["state"] = {{0.5F, 3, 7}};
    observation_.language["task"] = "Pick up!";
  }

  Result<std::unique_ptr<Recipe>> open() const {
    write("config.json", config_);
    write("policy_preprocessor.json", {{"steps", json::array({step("to_batch_processor", json::object()),
                                                              step("groot_pack_inputs_v3", pack_, kPackTensors),
                                                              step("groot_eagle_encode_v3", json::object())})}});
    write("policy_postprocessor.json",
          {{"steps", json::array({step("groot_action_unpack_unnormalize_v1", unpack_, kUnpackTensors)})}});
    // Each step has tensors of both features; the other's are wrong. The third column of the states has no range.
    write_bounds(kPackTensors, {{0, 1, 7}, {2, 5, 7}}, {{-9, -9}, {9, 9}});
    write_bounds(kUnpackTensors, {{-9, -9, -9}, {9, 9, 9}}, {{0, 1}, {2, 5}});
    if (!fs::exists(folder_ / "model.safetensors"))
      fs::create_hard_link(tiny_weights() / "model.safetensors", folder_ / "model.safetensors");
    return open_recipe(folder_.path(), options_);
  }

  std::vector<uint8_t> small_ = std::vector<uint8_t>(64 * 48 * 3), large_ = std::vector<uint8_t>(224 * 224 * 3);
  Observation observation_;
  PolicyOptions options_;
  json config_ = {{"type", "groot"},
                  {"input_features",
                   {{"observation.images.wrist", {{"shape", {3, 64, 48}}}},
                    {"observation.images.front", {{"shape", {3, 480, 640}}}},
                    {"observation.state", {{"shape", {3}}}}}},
                  {"output_features", {{"action", {{"shape", {2}}}}}}};
  json pack_ = {{"embodiment_tag", "so100"}, {"normalize_min_max", true}, {"formalize_language", false}};
  json unpack_ = {{"env_action_dim", 2}, {"normalize_min_max", true}};
  test::ScratchFolder folder_;

 private:
  void write(const char* name, const json& document) const { ASSERT_OK(write_file(folder_ / name, document.dump())); }

  struct Bounds {
    std::vector<float> min, max;
  };
  void write_bounds(const char* name, const Bounds& state, const Bounds& action) const {
    const auto view = [](const std::vector<float>& values) {
      return ConstView(std::as_bytes(std::span(values)).data(), DType::f32, {static_cast<int64_t>(values.size())});
    };
    const std::vector<NamedView> tensors{{"action.max", view(action.max)},
                                         {"action.min", view(action.min)},
                                         {"observation.state.max", view(state.max)},
                                         {"observation.state.min", view(state.min)}};
    ASSERT_OK(write_safetensors(folder_ / name, tensors));
  }
};

TEST_F(N15Lerobot, TurnsAnObservationIntoInputs) {
  const auto recipe = open();
  ASSERT_OK(recipe);
  EXPECT_EQ((*recipe)->version(), "GR00T N1.5");
  EXPECT_EQ((*recipe)->embodiment(), "so100");
  EXPECT_EQ((*recipe)->describe_robot().slot, 2);
  EXPECT_EQ(str((*recipe)->noise_shape()), "[16,32]");
  const auto inputs = (*recipe)->preprocess(observation_);
  ASSERT_OK(inputs);
  EXPECT_EQ(str(inputs->pixels.shape()), "[2,3,224,224]");
  EXPECT_EQ(inputs->pixels.flat<float>().front(), -1);  // front before wrist
  EXPECT_THAT(inputs->state.flat<float>().first(4), testing::ElementsAre(-0.5F, 0, 0, 0));
}

// Of any size, and nothing is cut off.
TEST_F(N15Lerobot, ScalesWholePictures) {
  const auto inputs = open().value()->preprocess(observation_);
  ASSERT_OK(inputs);
  const Image image = Image::copy_of({64, 48}, small_).value();
  const Image scaled = resize(image, {224, 224}, Resampler::torch_bicubic).value();
  const auto found = inputs->pixels.flat<float>().subspan(size_t{3} * 224 * 224);
  for (size_t c = 0; c < 3; ++c)
    for (size_t i = 0; i < size_t{224} * 224; ++i)
      ASSERT_EQ(found[c * 224 * 224 + i], (static_cast<float>(scaled.bytes()[3 * i + c]) - 127.5F) / 127.5F) << i;
}

TEST_F(N15Lerobot, DecodesActions) {
  const auto first_action = [&] {
    std::vector<float> chunk(size_t{16} * 32, 0.5F);
    const ConstView view(std::as_bytes(std::span(chunk)).data(), DType::f32, {16, 32});
    const auto actions = open().value()->decode(view, observation_).value();
    EXPECT_EQ(actions.size(), 1U);
    EXPECT_EQ(actions.front().key, "action");
    EXPECT_EQ(str(actions.front().values.shape()), "[16,2]");
    const auto values = actions.front().values.flat<float>();
    return std::pair(values[0], values[1]);
  };
  EXPECT_EQ(first_action(), std::pair(1.5F, 4.0F));
  unpack_["normalize_min_max"] = false;
  EXPECT_EQ(first_action(), std::pair(0.5F, 0.5F));
}

TEST_F(N15Lerobot, FormalizesInstructions) {
  const auto ids = [&](std::optional<std::string> text) {
    observation_.language.clear();
    if (text) observation_.language["task"] = *text;
    return open().value()->preprocess(observation_).value().input_ids;
  };
  EXPECT_EQ(ids(std::nullopt), ids("Perform the task."));
  EXPECT_EQ(ids(""), ids("Perform the task."));
  EXPECT_NE(ids("Pick_it up!"), ids("pickit up"));
  const auto as_they_are = ids("pickit up"), by_default = ids("perform the task");
  pack_["formalize_language"] = true;
  EXPECT_EQ(ids("Pick_it up!"), as_they_are);
  EXPECT_EQ(ids(std::nullopt), by_default);
}

TEST_F(N15Lerobot, LeavesStatesAsTheyAre) {
  pack_["normalize_min_max"] = false;
  EXPECT_EQ(open().value()->preprocess(observation_).value().state.flat<float>()[2], 7);
}

TEST_F(N15Lerobot, FindsSlots) {
  const auto slot = [&] { return open().value()->describe_robot().slot; };
  pack_["embodiment_tag"] = "some_robot";
  EXPECT_EQ(slot(), 0);
  pack_["embodiment_mapping"] = {{"some_robot", 5}};
  EXPECT_EQ(slot(), 5);
  pack_["embodiment_tag"] = "so100";  // a mapping is the whole mapping
  EXPECT_EQ(slot(), 0);
  pack_["embodiment_mapping"] = {{"so100", 32}};
  EXPECT_CODE(open(), Code::shape_mismatch);
}

TEST_F(N15Lerobot, RefusesWhatTheOriginalWouldPadOrCut) {
  config_["input_features"]["observation.state"]["shape"] = {4};
  EXPECT_CODE(open(), Code::shape_mismatch);
  config_["input_features"]["observation.state"]["shape"] = {3};
  unpack_["env_action_dim"] = 3;
  EXPECT_CODE(open(), Code::shape_mismatch);
  unpack_["env_action_dim"] = 0;  // then config.json tells
  EXPECT_OK(open());
  config_["input_features"].erase("observation.images.front");
  config_["input_features"].erase("observation.images.wrist");
  EXPECT_CODE(open(), Code::invalid_file);
}

TEST_F(N15Lerobot, RefusesADataConfigurationAndOtherWeights) {
  options_.data_config = "so100";
  EXPECT_CODE(open(), Code::usage);
  options_.data_config.clear();
  config_["type"] = "act";
  EXPECT_CODE(open(), Code::unsupported);
  config_["type"] = "groot";
  const float one = 1;
  const std::vector<NamedView> unknown{{"a", {reinterpret_cast<const std::byte*>(&one), DType::f32, {1}}}};
  ASSERT_OK(write_safetensors(folder_ / "model.safetensors", unknown));
  EXPECT_CODE(open(), Code::unsupported);
}

}  // namespace
}  // namespace ramet
