// The C interface against the C++ one, and its errors.
#include "api/c_user_test.h"

#include "policy/testing.h"
#include "policy/text/test_support.h"
#include "support/assertions.h"

#include <ramet/policy.h>
#include <ramet/vision_tower.h>

#include <gmock/gmock.h>

#include <limits>

namespace ramet {
namespace {

using test::Scene;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::StrEq;

struct ClosePolicy {
  void operator()(ramet_policy* policy) const { ramet_policy_close(policy); }
};
struct CloseTower {
  void operator()(ramet_vision_tower* tower) const { ramet_vision_tower_close(tower); }
};
struct CloseObservation {
  void operator()(ramet_observation* observation) const { ramet_observation_close(observation); }
};
using CPolicy = std::unique_ptr<ramet_policy, ClosePolicy>;
using CTower = std::unique_ptr<ramet_vision_tower, CloseTower>;
using CObservation = std::unique_ptr<ramet_observation, CloseObservation>;

ramet_image c_image(const ImageView& view) { return {view.rgb.data(), view.height, view.width}; }

CObservation c_observation(const Observation& observation) {
  ramet_observation* raw = nullptr;
  EXPECT_EQ(ramet_observation_create(&raw), RAMET_OK);
  CObservation result(raw);
  for (const auto& [camera, frames] : observation.video)
    for (const ImageView& frame : frames)
      EXPECT_EQ(ramet_observation_add_frame(raw, camera.c_str(), c_image(frame)), RAMET_OK);
  for (const auto& [key, rows] : observation.state)
    for (const auto& row : rows)
      EXPECT_EQ(ramet_observation_add_state(raw, key.c_str(), row.data(), row.size()), RAMET_OK);
  for (const auto& [key, text] : observation.language)
    EXPECT_EQ(ramet_observation_set_language(raw, key.empty() ? nullptr : key.c_str(), text.c_str()), RAMET_OK);
  return result;
}

class CApi : public testing::Test {
 protected:
  void SetUp() override {
    if (!test::qwen_vocabulary()) GTEST_SKIP() << test::kNoVocabulary;
  }

  ramet_policy_options options() {
    ramet_policy_options options = RAMET_POLICY_OPTIONS_INIT;
    options.embodiment = test::kGoogle;
    options.tokenizer = tokenizer_.c_str();
    options.data_dir = data_dir_.empty() ? nullptr : data_dir_.c_str();
    options.threads = 1;
    options.steps = cpp_options_.steps;
    return options;
  }

  CPolicy open() {
    const ramet_policy_options given = options();
    ramet_policy* policy = nullptr;
    EXPECT_EQ(ramet_policy_open(directory_.c_str(), &given, &policy), RAMET_OK) << ramet_policy_error(policy)->message;
    return CPolicy(policy);
  }

  static void expect_error(const ramet_error* error, ramet_code code, const std::string& part) {
    SCOPED_TRACE(error->message);
    EXPECT_EQ(error->code, code);
    EXPECT_THAT(error->message, HasSubstr(part));
    EXPECT_THAT(error->message, HasSubstr(error->where));
  }

  PolicyOptions cpp_options_ = test::tiny_options(test::kGoogle);
  std::string tokenizer_ = cpp_options_.engine.tokenizer.string();
  std::string data_dir_ = cpp_options_.engine.data_dirs.empty() ? "" : cpp_options_.engine.data_dirs.front().string();
  std::string directory_ = test::tiny_directory("n17").string();
  Scene scene_{test::kGoogle};
};

TEST_F(CApi, ActionsOfACProgramAreTheBitsOfCpp) {
  Policy policy = Policy::open(directory_, cpp_options_).value();
  const Actions actions = policy.act(scene_.observation, {.seed = 3}).value();
  std::vector<float> expected;
  for (const std::string& key : actions.keys) {
    const std::vector<float>& values = actions.actions.at(key).values;
    expected.insert(expected.end(), values.begin(), values.end());
  }
  const ramet_policy_options given = options();
  ramet_act_options act = RAMET_ACT_OPTIONS_INIT;
  act.seed = 3;
  std::vector<float> values(expected.size());
  char message[512];
  const CObservation observation = c_observation(scene_.observation);
  ASSERT_EQ(c_user_act(directory_.c_str(), &given, observation.get(), &act, values.data(), values.size(), message),
            expected.size())
      << message;
  EXPECT_THAT(values, ElementsAreArray(expected));
}

TEST_F(CApi, EmbeddingsOfACProgramAreTheBitsOfCpp) {
  const std::vector<ImageView>& pictures = scene_.observation.video.begin()->second;
  VisionTower tower = VisionTower::open(directory_, {.threads = 1}).value();
  const std::vector<float> expected = tower.encode(pictures).value().out.values;
  std::vector<ramet_image> images;
  for (const ImageView& picture : pictures) images.push_back(c_image(picture));
  std::vector<float> values(expected.size());
  char message[512];
  ASSERT_EQ(c_user_encode(directory_.c_str(), images.data(), images.size(), values.data(), values.size(), message),
            expected.size())
      << message;
  EXPECT_THAT(values, ElementsAreArray(expected));
}

TEST_F(CApi, SettingsReachTheEngine) {
  const CObservation observation = c_observation(scene_.observation);
  const auto x = [&](const ramet_policy_options& given) {
    ramet_policy* raw = nullptr;
    EXPECT_EQ(ramet_policy_open(directory_.c_str(), &given, &raw), RAMET_OK) << ramet_policy_error(raw)->message;
    const CPolicy policy(raw);
    EXPECT_EQ(ramet_policy_act(raw, observation.get(), nullptr), RAMET_OK) << ramet_policy_error(raw)->message;
    ramet_array action;
    EXPECT_EQ(ramet_policy_action(raw, "x", &action), RAMET_OK);
    return std::vector<float>(action.values, action.values + action.shape[0] * action.shape[1]);
  };
  const auto expected = [&](const EngineOptions& changed) {
    PolicyOptions given = cpp_options_;
    given.engine.executor = changed.executor;
    given.engine.precision = changed.precision;
    return Policy::open(directory_, given)->act(scene_.observation, {}).value().actions.at("x").values;
  };
  ramet_policy_options given = options();
  given.precision = "int8";
  const std::vector<float> int8 = x(given);
  EXPECT_EQ(int8, expected({.precision = "int8"}));
  given.executor = "oracle";
  const std::vector<float> oracle = x(given);
  EXPECT_EQ(oracle, expected({.executor = ExecutorKind::oracle}));
  EXPECT_NE(oracle, int8);
}

TEST_F(CApi, WrongSettingsAreNamed) {
  const auto expect_refused = [&](const char* ramet_policy_options::*field, const char* part) {
    ramet_policy_options given = options();
    given.*field = "magic";
    ramet_policy* raw = nullptr;
    EXPECT_EQ(ramet_policy_open(directory_.c_str(), &given, &raw), RAMET_USAGE);
    const CPolicy policy(raw);
    expect_error(ramet_policy_error(raw), RAMET_USAGE, part);
  };
  expect_refused(&ramet_policy_options::executor, "executor");
  expect_refused(&ramet_policy_options::precision, "magic");
  expect_refused(&ramet_policy_options::isa, "isa");
}

TEST_F(CApi, PolicyTellsWhatItIs) {
  const CPolicy policy = open();
  EXPECT_STREQ(ramet_policy_embodiment(policy.get()), test::kGoogle);
  EXPECT_STREQ(ramet_policy_model(policy.get()), "GR00T N1.7");
  int64_t horizon = 0, action_dim = 0;
  EXPECT_EQ(ramet_policy_noise_shape(policy.get(), &horizon, &action_dim), RAMET_OK);
  EXPECT_EQ(horizon, 40);
  EXPECT_EQ(action_dim, 132);
}

TEST_F(CApi, NoiseReplacesSeed) {
  const CPolicy policy = open();
  const CObservation observation = c_observation(scene_.observation);
  ramet_act_options act = RAMET_ACT_OPTIONS_INIT;
  ramet_array action;
  const auto first_action = [&] {
    EXPECT_EQ(ramet_policy_act(policy.get(), observation.get(), &act), RAMET_OK)
        << ramet_policy_error(policy.get())->message;
    EXPECT_EQ(ramet_policy_action(policy.get(), "x", &action), RAMET_OK);
    EXPECT_EQ(action.rank, 2U);
    return std::vector<float>(action.values, action.values + action.shape[0] * action.shape[1]);
  };
  const std::vector<float> seeded = first_action();
  const std::vector<float> noise(40 * 132, 0.5F);
  act.noise = noise.data();
  act.horizon = 40;
  act.action_dim = 132;
  EXPECT_NE(first_action(), seeded);
  act.action_dim = 131;
  EXPECT_EQ(ramet_policy_act(policy.get(), observation.get(), &act), RAMET_SHAPE_MISMATCH);
  expect_error(ramet_policy_error(policy.get()), RAMET_SHAPE_MISMATCH, "40 x 132");
  EXPECT_EQ(ramet_policy_num_actions(policy.get()), 0U);
}

TEST_F(CApi, ErrorStaysInTheHandleUntilTheNextCall) {
  ramet_policy* raw = nullptr;
  EXPECT_EQ(ramet_policy_open("no/such/directory", nullptr, &raw), RAMET_NOT_FOUND);
  const CPolicy policy(raw);
  ASSERT_NE(raw, nullptr);
  expect_error(ramet_policy_error(raw), RAMET_NOT_FOUND, "no/such/directory");
  EXPECT_STREQ(ramet_policy_embodiment(raw), "");
  const CObservation observation = c_observation(scene_.observation);
  EXPECT_EQ(ramet_policy_act(raw, observation.get(), nullptr), RAMET_USAGE);
  expect_error(ramet_policy_error(raw), RAMET_USAGE, "a policy that ramet_policy_open has opened");
}

TEST_F(CApi, ErrorIsGoneAfterSuccess) {
  const CPolicy policy = open();
  ramet_array action;
  EXPECT_EQ(ramet_policy_action(policy.get(), "x", &action), RAMET_NOT_FOUND);
  expect_error(ramet_policy_error(policy.get()), RAMET_NOT_FOUND, "action x");
  const CObservation observation = c_observation(scene_.observation);
  EXPECT_EQ(ramet_policy_act(policy.get(), observation.get(), nullptr), RAMET_OK);
  EXPECT_EQ(ramet_policy_error(policy.get())->code, RAMET_OK);
  EXPECT_STREQ(ramet_policy_error(policy.get())->message, "");
  EXPECT_EQ(ramet_policy_action_key(policy.get(), ramet_policy_num_actions(policy.get())), nullptr);
}

TEST_F(CApi, ObservationErrorsNameTheirPlace) {
  const CPolicy policy = open();
  const CObservation observation = c_observation(scene_.observation);
  ramet_observation_clear(observation.get());
  EXPECT_EQ(ramet_policy_act(policy.get(), observation.get(), nullptr), RAMET_NOT_FOUND);
  expect_error(ramet_policy_error(policy.get()), RAMET_NOT_FOUND, "observation: video.");
}

TEST_F(CApi, WrongPicturesAreRefusedUnread) {
  const CObservation observation = c_observation({});
  const uint8_t pixel[3]{};
  for (const ramet_image& image : {ramet_image{pixel, 0, 1}, ramet_image{pixel, 1, -1},
                                   ramet_image{pixel, std::numeric_limits<int64_t>::max(), 1}}) {
    EXPECT_EQ(ramet_observation_add_frame(observation.get(), "front", image), RAMET_INVALID_VALUE);
    expect_error(ramet_observation_error(observation.get()), RAMET_INVALID_VALUE, "observation: video.front");
  }
  EXPECT_EQ(ramet_observation_add_frame(observation.get(), "front", {nullptr, 1, 1}), RAMET_USAGE);
  expect_error(ramet_observation_error(observation.get()), RAMET_USAGE, "video.front.rgb");
}

TEST_F(CApi, NullIsAnError) {
  EXPECT_EQ(ramet_policy_open("", nullptr, nullptr), RAMET_USAGE);
  EXPECT_EQ(ramet_policy_act(nullptr, nullptr, nullptr), RAMET_USAGE);
  EXPECT_EQ(ramet_policy_error(nullptr)->code, RAMET_USAGE);
  EXPECT_EQ(ramet_vision_tower_encode(nullptr, nullptr, 0, nullptr), RAMET_USAGE);
  EXPECT_EQ(ramet_observation_add_state(nullptr, "x", nullptr, 1), RAMET_USAGE);
  ramet_policy_close(nullptr);
  ramet_vision_tower_close(nullptr);
  ramet_observation_close(nullptr);
  ramet_policy* raw = nullptr;
  EXPECT_EQ(ramet_policy_open(nullptr, nullptr, &raw), RAMET_USAGE);
  const CPolicy policy(raw);
  expect_error(ramet_policy_error(raw), RAMET_USAGE, "directory");
  const CObservation observation = c_observation({});
  EXPECT_EQ(ramet_observation_add_state(observation.get(), "x", nullptr, 1), RAMET_USAGE);
  expect_error(ramet_observation_error(observation.get()), RAMET_USAGE, "values");
  EXPECT_EQ(ramet_observation_set_language(observation.get(), nullptr, nullptr), RAMET_USAGE);
}

TEST_F(CApi, StructsMayBeOlderButNotNewer) {
  ramet_policy_options given = options();
  given.size = offsetof(ramet_policy_options, threads);
  given.threads = -7;  // beyond the size: not read
  ramet_policy* raw = nullptr;
  EXPECT_EQ(ramet_policy_open(directory_.c_str(), &given, &raw), RAMET_OK) << ramet_policy_error(raw)->message;
  ramet_policy_close(raw);
  for (const size_t size : {size_t{0}, sizeof(ramet_policy_options) + 8}) {
    given.size = size;
    EXPECT_EQ(ramet_policy_open(directory_.c_str(), &given, &raw), RAMET_USAGE);
    expect_error(ramet_policy_error(raw), RAMET_USAGE, "ramet_policy_options.size");
    ramet_policy_close(raw);
  }
}

TEST_F(CApi, TowerGivesItsResults) {
  ramet_vision_tower* raw = nullptr;
  ASSERT_EQ(ramet_vision_tower_open(directory_.c_str(), nullptr, &raw), RAMET_OK);
  const CTower tower(raw);
  ramet_array rows;
  EXPECT_EQ(ramet_vision_tower_out(raw, &rows), RAMET_USAGE);
  expect_error(ramet_vision_tower_error(raw), RAMET_USAGE, "ramet_vision_tower_encode before");
  const ramet_image image = c_image(scene_.observation.video.begin()->second.front());
  ASSERT_EQ(ramet_vision_tower_encode(raw, &image, 1, nullptr), RAMET_OK);
  int64_t grid[3]{};
  EXPECT_EQ(ramet_vision_tower_grid(raw, 0, grid), RAMET_OK);
  ASSERT_GT(ramet_vision_tower_num_deepstack(raw), 0U);
  EXPECT_EQ(ramet_vision_tower_deepstack(raw, 0, &rows), RAMET_OK);
  EXPECT_EQ(rows.shape[0], grid[0] * grid[1] * grid[2] / 4);
  EXPECT_EQ(ramet_vision_tower_deepstack(raw, 99, &rows), RAMET_NOT_FOUND);
  EXPECT_EQ(ramet_vision_tower_grid(raw, 1, grid), RAMET_NOT_FOUND);
  EXPECT_EQ(ramet_vision_tower_encode(raw, nullptr, 1, nullptr), RAMET_USAGE);
  EXPECT_EQ(ramet_vision_tower_num_deepstack(raw), 0U);
}

TEST(CApiNames, CodesHaveTheNamesOfCpp) {
  EXPECT_THAT(ramet_code_name(RAMET_OK), StrEq("ok"));
  EXPECT_THAT(ramet_code_name(RAMET_NOT_FOUND), StrEq("not_found"));
  EXPECT_THAT(ramet_code_name(RAMET_INTERNAL), StrEq("internal"));
  EXPECT_THAT(ramet_code_name(static_cast<ramet_code>(15)), StrEq("unknown"));
  EXPECT_THAT(ramet_version(), testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
}

}  // namespace
}  // namespace ramet
