// Acting with a tiny GR00T N1.7 of synthetic weights.
#include "policy/engine.h"

#include "policy/inspection.h"
#include "policy/noise.h"
#include "policy/testing.h"
#include "policy/text/test_support.h"
#include "support/assertions.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <limits>

namespace ramet {
namespace {

using test::Scene;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Engine : public testing::Test {
 protected:
  void SetUp() override {
    if (!test::qwen_vocabulary()) GTEST_SKIP() << test::kNoVocabulary;
  }
  static std::unique_ptr<PolicyEngine> open(const PolicyOptions& options) {
    return PolicyEngine::open(test::tiny_directory("n17"), options).value();
  }
  static std::map<std::string, std::vector<float>> values(const Result<Actions>& actions) {
    EXPECT_OK(actions);
    std::map<std::string, std::vector<float>> result;
    for (const auto& [key, array] : actions->actions) result[key] = array.values;
    return result;
  }
};

TEST_F(Engine, ActionsAreTheRobots) {
  const auto engine = open(test::tiny_options(test::kGoogle));
  Scene scene(test::kGoogle);
  const auto actions = engine->act(scene.observation, {.taps = {"actions.normalized"}});
  ASSERT_OK(actions);
  EXPECT_EQ(actions->embodiment, test::kGoogle);
  EXPECT_EQ(actions->horizon, 8);
  EXPECT_THAT(actions->keys, ElementsAre("x", "y", "z", "roll", "pitch", "yaw", "gripper"));
  for (const auto& [key, array] : actions->actions) EXPECT_THAT(array.shape, ElementsAre(8, 1)) << key;
  ASSERT_EQ(actions->taps.size(), 1U);
  EXPECT_THAT(actions->taps[0].shape, ElementsAre(40, 132));
  EXPECT_EQ(actions->timing.front().stage, "preprocess");
  EXPECT_EQ(actions->timing.back().stage, "total");
  EXPECT_GT(engine->arena_bytes(), 0);
}

TEST_F(Engine, SameBitsWhateverTheThreads) {
  Scene scene(test::kGoogle);
  std::map<std::string, std::vector<float>> first;
  for (const int threads : {1, 2, 3}) {
    PolicyOptions options = test::tiny_options(test::kGoogle);
    options.engine.threads = threads;
    const auto engine = open(options);
    EXPECT_EQ(engine->threads(), threads);
    const auto actions = values(engine->act(scene.observation, {.seed = 5}));
    if (first.empty()) first = actions;
    EXPECT_EQ(actions, first) << threads;
    EXPECT_EQ(values(engine->act(scene.observation, {.seed = 5})), first) << threads << " again";
  }
}

TEST_F(Engine, SkipsTheBackboneOnlyWhenItSeesTheSame) {
  Scene scene(test::kGoogle);
  PolicyOptions options = test::tiny_options(test::kGoogle);
  options.reuse_backbone = true;
  const auto engine = open(options), fresh = open(test::tiny_options(test::kGoogle));
  const auto vision_ms = [](const Actions& actions) { return actions.timing[1].ms; };
  EXPECT_GT(vision_ms(engine->act(scene.observation, {}).value()), 0);
  scene.observation.state["rw"] = {{-0.2F}};
  const Result<Actions> again = engine->act(scene.observation, {.seed = 3});
  ASSERT_OK(again);
  EXPECT_EQ(again->timing[1].stage, "vision");
  EXPECT_EQ(vision_ms(*again), 0);
  EXPECT_EQ(values(again), values(fresh->act(scene.observation, {.seed = 3})));
  scene.observation.language[""] = "pick up the green block";
  const Result<Actions> changed = engine->act(scene.observation, {});
  ASSERT_OK(changed);
  EXPECT_GT(vision_ms(*changed), 0);
  EXPECT_EQ(values(changed), values(fresh->act(scene.observation, {})));
}

TEST_F(Engine, ReplaysLayoutsByName) {
  const auto engine = open(test::tiny_options(test::kGoogle));
  const auto times = engine->replay("libero1");
  ASSERT_OK(times);
  EXPECT_EQ(times->size(), 4U);
  ASSERT_EQ(engine->stage_work().size(), 4U);
  EXPECT_EQ(engine->stage_work()[2].stage, "adapter");
  for (const size_t stage : {0, 1, 3}) EXPECT_GT(engine->stage_work()[stage].gflop, 0);
  const auto unknown = engine->replay("libero3");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, Code::usage);
  EXPECT_THAT(unknown.error().expected, HasSubstr("droid"));
}

TEST_F(Engine, PrecisionNamesSitesOfTheModel) {
  Scene scene(test::kGoogle);
  PolicyOptions options = test::tiny_options(test::kGoogle);
  options.engine.precision = "bf16,vision.block.0.qvk=fp32";
  const auto actions = open(options)->act(scene.observation, {});
  ASSERT_FALSE(actions);
  EXPECT_EQ(actions.error().code, Code::usage);
  EXPECT_THAT(actions.error().hint, HasSubstr("vision.block.0.qkv"));
  options.engine.isa = "sse9";
  EXPECT_FALSE(PolicyEngine::open(test::tiny_directory("n17"), options));
}

TEST_F(Engine, SeedNoiseStepsAndInputsMatter) {
  Scene scene(test::kGoogle);
  const auto engine = open(test::tiny_options(test::kGoogle));
  const auto base = values(engine->act(scene.observation, {}));
  EXPECT_NE(values(engine->act(scene.observation, {.seed = 1})), base);
  PolicyOptions two = test::tiny_options(test::kGoogle);
  two.steps = 2;
  EXPECT_NE(values(open(two)->act(scene.observation, {})), base);
  scene.observation.language[""] = "pick up the green block";
  EXPECT_NE(values(engine->act(scene.observation, {})), base);
  scene.observation.language[""] = "Pick up the RED block!";  // formalised to the first instruction
  EXPECT_EQ(values(engine->act(scene.observation, {})), base);
  scene.observation.state["rw"] = {{-0.2F}};
  EXPECT_NE(values(engine->act(scene.observation, {})), base);
}

TEST_F(Engine, NoiseIsWhatTheSeedGives) {
  Scene scene(test::kGoogle);
  const auto engine = open(test::tiny_options(test::kGoogle));
  FloatArray noise{{40, 132}, std::vector<float>(size_t{40} * 132)};
  fill_noise(9, noise.values);
  EXPECT_EQ(values(engine->act(scene.observation, {.noise = noise})),
            values(engine->act(scene.observation, {.seed = 9})));
}

TEST_F(Engine, WrongNoise) {
  Scene scene(test::kGoogle);
  const auto engine = open(test::tiny_options(test::kGoogle));
  const auto act = [&](FloatArray noise) { return engine->act(scene.observation, {.noise = std::move(noise)}); };
  const auto wrong = act({{40, 128}, std::vector<float>(size_t{40} * 128)});
  EXPECT_CODE(wrong, Code::shape_mismatch);
  EXPECT_THAT(wrong.error().message(), HasSubstr("[40,132]"));
  EXPECT_THAT(wrong.error().message(), HasSubstr("[40,128]"));
  EXPECT_CODE(act({{40, 132}, std::vector<float>(7)}), Code::shape_mismatch);
  FloatArray nan{{40, 132}, std::vector<float>(size_t{40} * 132)};
  nan.values[3] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_CODE(act(nan), Code::not_finite);
}

TEST_F(Engine, StepsOutOfRange) {
  for (const int steps : {-1, 1001}) {
    PolicyOptions options = test::tiny_options(test::kGoogle);
    options.steps = steps;
    EXPECT_CODE(PolicyEngine::open(test::tiny_directory("n17"), options), Code::usage);
  }
}

TEST_F(Engine, StepsOfOneCall) {
  Scene scene(test::kGoogle);
  const auto engine = open(test::tiny_options(test::kGoogle));
  const auto base = values(engine->act(scene.observation, {}));
  PolicyOptions two = test::tiny_options(test::kGoogle);
  two.steps = 2;
  EXPECT_EQ(values(engine->act(scene.observation, {.steps = 2})), values(open(two)->act(scene.observation, {})));
  EXPECT_EQ(values(engine->act(scene.observation, {})), base);
  EXPECT_CODE(engine->act(scene.observation, {.steps = -1}), Code::usage);
  EXPECT_CODE(engine->act(scene.observation, {.steps = 1001}), Code::usage);
}

TEST_F(Engine, DescribesItsRobot) {
  const auto engine = open(test::tiny_options(test::kGoogle));
  EXPECT_EQ(engine->recipe().version(), "GR00T N1.7");
  const EmbodimentInfo robot = engine->recipe().describe_robot();
  EXPECT_EQ(robot.tag, test::kGoogle);
  EXPECT_EQ(robot.action_horizon, 8);
  EXPECT_EQ(robot.action_delta_indices.size(), 8U);
  ASSERT_EQ(robot.action.size(), 7U);
  EXPECT_EQ(robot.action[0].key, "x");
  EXPECT_EQ(robot.action[0].dims, 1);
  EXPECT_EQ(robot.action[0].action_type, "NON_EEF");
  EXPECT_EQ(robot.problem, "");
  const auto inspection = inspect_directory(test::tiny_directory("n17"), test::tiny_options("").engine);
  ASSERT_OK(inspection);
  const auto same = std::ranges::find(inspection->embodiments, robot.tag, &EmbodimentInfo::tag);
  ASSERT_NE(same, inspection->embodiments.end());
  EXPECT_EQ(same->cameras, robot.cameras);
  EXPECT_EQ(same->state.size(), robot.state.size());
  EXPECT_EQ(same->language_keys, robot.language_keys);
}

TEST_F(Engine, TapsAreInOrderOfComputation) {
  Scene scene(test::kGoogle);
  const auto engine = open(test::tiny_options(test::kGoogle));
  const auto actions = engine->act(scene.observation, {.taps = {"pre.*", "*.out", "actions.[xy]"}});
  ASSERT_OK(actions);
  std::vector<std::string> names;
  for (const Tap& tap : actions->taps) names.push_back(tap.name);
  EXPECT_THAT(names, ElementsAre("pre.pixels", "pre.grid", "pre.grid_thw", "pre.input_ids", "pre.attention_mask",
                                 "pre.positions", "pre.state", "vision.out", "llm.out", "adapter.out", "actions.x",
                                 "actions.y"));
  const auto none = engine->act(scene.observation, {.taps = {"nothing.*"}});
  ASSERT_OK(none);
  EXPECT_THAT(none->taps, IsEmpty());
}

// A layout that was seen before is not compiled again, and its buffers do not remember other layouts.
TEST_F(Engine, LayoutsDoNotDisturbEachOther) {
  Scene square(test::kGoogle), wide(test::kGoogle, {180, 320});
  const auto engine = open(test::tiny_options(test::kGoogle));
  const auto first = values(engine->act(square.observation, {}));
  const auto second = values(engine->act(wide.observation, {}));
  EXPECT_NE(first, second);
  EXPECT_EQ(values(engine->act(square.observation, {})), first);
  EXPECT_EQ(values(engine->act(wide.observation, {})), second);
}

TEST_F(Engine, ProgressGoesFromNothingToAll) {
  Scene scene(test::kGoogle);
  PolicyOptions options = test::tiny_options(test::kGoogle);
  std::vector<double> shares;
  options.engine.progress = [&](std::string_view what, double share) {
    if (what == "packing weights") return;
    EXPECT_EQ(what, "computing");
    shares.push_back(share);
  };
  ASSERT_OK(open(options)->act(scene.observation, {}));
  ASSERT_FALSE(shares.empty());
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
  EXPECT_GT(shares.front(), 0);
  EXPECT_EQ(shares.back(), 1);
}

TEST_F(Engine, NanInAWeightNamesTapAndWeight) {
  const test::Copy damaged(test::tiny_directory("n17"));
  const std::string weight = "action_head.model.transformer_blocks.1.ff.net.2.bias";
  damaged.poke(weight, 5, 0x7FC0);
  const auto engine = PolicyEngine::open(damaged.path(), test::tiny_options(test::kGoogle));
  ASSERT_OK(engine);
  Scene scene(test::kGoogle);
  const auto actions = (*engine)->act(scene.observation, {});
  EXPECT_CODE(actions, Code::not_finite);
  EXPECT_EQ(actions.error().where, "tap denoise.0.block.1");
  EXPECT_THAT(actions.error().found, HasSubstr("nan at [0,5]"));
  EXPECT_THAT(actions.error().hint, HasSubstr("model.safetensors: " + weight));
  EXPECT_THAT(actions.error().hint, HasSubstr("element 5"));
}

}  // namespace
}  // namespace ramet
