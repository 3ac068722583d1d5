// Numbers of the specification, and every error of states, actions and poses.
#include "policy/robot/pose.h"
#include "policy/robot/robot.h"
#include "support/assertions.h"

#include <gmock/gmock.h>

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace ramet {
namespace {

using testing::ElementsAre;
using testing::FloatEq;
using testing::FloatNear;
using testing::Pointwise;

KeyStatistics bounds(std::vector<double> lo, std::vector<double> hi, int64_t rows = 1) {
  KeyStatistics key{.where = "statistics.json: key", .rows = {}};
  const auto dims = static_cast<int64_t>(lo.size()) / rows;
  key.rows[static_cast<size_t>(Statistic::min)] = {rows, dims, std::move(lo)};
  key.rows[static_cast<size_t>(Statistic::max)] = {rows, dims, std::move(hi)};
  return key;
}

KeyStatistics mean_std(double mean, double std) {
  KeyStatistics key{.where = "statistics.json: key", .rows = {}};
  key.rows[static_cast<size_t>(Statistic::mean)] = {1, 1, {mean}};
  key.rows[static_cast<size_t>(Statistic::std)] = {1, 1, {std}};
  return key;
}

// A robot with one state key and one action key, both called `key`.
struct OneKey {
  OneKey() {
    modality.state = {.delta_indices = {0}, .modality_keys = {"key"}};
    modality.action = {.delta_indices = {0}, .modality_keys = {"key"}};
    modality.action_configs = {ActionConfig{.state_key = "key"}};
    config.clip_outliers = false;
  }
  OneKey& state(KeyStatistics key) { return set(StatisticsGroup::state, std::move(key)); }
  OneKey& action(KeyStatistics key) { return set(StatisticsGroup::action, std::move(key)); }
  OneKey& relative(KeyStatistics key, ActionType type, ActionFormat format, int64_t horizon) {
    modality.action.delta_indices.resize(static_cast<size_t>(horizon));
    modality.action_configs = {{ActionRepresentation::relative, type, format, "key"}};
    config.use_relative_action = true;
    return set(StatisticsGroup::relative_action, std::move(key));
  }
  OneKey& set(StatisticsGroup group, KeyStatistics key) {
    statistics.set("tag", group, "key", std::move(key));
    return *this;
  }

  Result<StateProcessor> processor() const { return StateProcessor::make(config, modality.state, statistics, "tag"); }
  Result<ActionDecoder> decoder() const { return ActionDecoder::make(config, modality, statistics, "tag"); }

  std::vector<float> normalize(std::vector<float> row) const {
    const auto columns = row.size();
    const Buffer buffer = processor()->normalize({{"key", {std::move(row)}}}, "test").value();
    return {buffer.flat<float>().begin(), buffer.flat<float>().begin() + static_cast<ptrdiff_t>(columns)};
  }
  Result<std::vector<Action>> decode(std::vector<float> n, int64_t rows, std::vector<float> reference) const {
    const int64_t cols = static_cast<int64_t>(n.size()) / rows;
    const ConstView chunk(std::as_bytes(std::span(n)).data(), DType::f32, {rows, cols});
    RAMET_TRY(const ActionDecoder made, decoder());
    return made.decode(chunk, {{"key", {std::move(reference)}}});
  }
  std::vector<float> decoded(std::vector<float> n, int64_t rows = 1, std::vector<float> reference = {}) const {
    const auto actions = decode(std::move(n), rows, std::move(reference));
    EXPECT_OK(actions);
    if (!actions) return {};
    const auto values = actions->front().values.flat<float>();
    return {values.begin(), values.end()};
  }

  ProcessorConfig config;
  ModalityConfig modality;
  Statistics statistics{"statistics.json"};
};

// LIBERO x, from the specification.
const KeyStatistics kLiberoX = bounds({-0.4828203022480011}, {0.21031762659549713});

TEST(State, BoundsAndClipping) {
  OneKey robot;
  robot.state(kLiberoX);
  EXPECT_THAT(robot.normalize({0.0F}), ElementsAre(FloatEq(0.39314353F)));
  EXPECT_THAT(robot.normalize({0.1F}), ElementsAre(FloatEq(0.6816864F)));
  EXPECT_THAT(robot.normalize({-0.45F}), ElementsAre(FloatEq(-0.9052993F)));
  EXPECT_THAT(robot.normalize({5}), ElementsAre(testing::Gt(10.0F)));
  robot.config.clip_outliers = true;
  EXPECT_THAT(robot.normalize({5}), ElementsAre(1.0F));
}

TEST(State, PercentilesReplaceMinAndMax) {
  OneKey robot;
  KeyStatistics key = kLiberoX;
  key.rows[static_cast<size_t>(Statistic::q01)] = {1, 1, {-0.3899900782108307}};
  key.rows[static_cast<size_t>(Statistic::q99)] = {1, 1, {0.1530261474847791}};
  robot.state(key).config.use_percentiles = true;
  EXPECT_THAT(robot.normalize({0.18F}), ElementsAre(FloatEq(1.0993483F)));
}

TEST(State, ARangeOfNothingGivesZero) {
  EXPECT_THAT(OneKey().state(bounds({2, 0}, {2, 1})).normalize({7, 0.5F}), ElementsAre(0, 0));
  EXPECT_THAT(OneKey().state(bounds({100}, {100.0005})).normalize({3}), ElementsAre(0));
}

TEST(State, MeanAndStd) {
  OneKey robot;
  robot.modality.state.mean_std_embedding_keys = {"key"};
  robot.state(mean_std(-0.04190658777952194, 0.10743364691734314));
  EXPECT_THAT(robot.normalize({0.1F}), ElementsAre(FloatEq(1.3208766F)));
  EXPECT_THAT(robot.state(mean_std(3, 0)).normalize({0.1F}), ElementsAre(0.1F));
}

TEST(State, SinCosDoublesTheWidthAndNeedsNoStatistics) {
  OneKey robot;
  robot.config.apply_sincos_state_encoding = true;
  robot.modality.state.sin_cos_embedding_keys = {"key"};
  const Buffer row = robot.processor()->normalize({{"key", {{0.5F, -1.2F}}}}, "test").value();
  EXPECT_THAT(row.flat<float>().first(5),
              ElementsAre(FloatEq(0.47942555F), FloatEq(-0.9320391F), FloatEq(0.87758255F), FloatEq(0.36235774F), 0));
}

TEST(State, ExcludedStateIsZero) {
  OneKey robot;
  robot.state(kLiberoX).modality.state.exclude_state = true;
  EXPECT_THAT(robot.normalize({0.1F}), ElementsAre(0));
}

TEST(State, ChecksNameWhatTheRobotNeeds) {
  const auto processor = OneKey().state(bounds({0, 0}, {1, 1})).processor();
  ASSERT_OK(processor);
  const auto missing = processor->check({}, "obs.json");
  EXPECT_CODE(missing, Code::not_found);
  EXPECT_EQ(missing.error().where, "obs.json: state.key");
  EXPECT_EQ(missing.error().hint, "the robot needs key [1][2]");
  EXPECT_CODE(processor->check({{"key", {{1, 2}}}, {"foot", {{1}}}}, "obs"), Code::surplus);
  EXPECT_CODE(processor->check({{"key", {{1, 2, 3}}}}, "obs"), Code::shape_mismatch);
  EXPECT_CODE(processor->check({{"key", {{}}}}, "obs"), Code::shape_mismatch);
  EXPECT_CODE(processor->check({{"key", {{1, 2}, {1, 2}}}}, "obs"), Code::shape_mismatch);
  EXPECT_CODE(processor->check({{"key", {}}}, "obs"), Code::shape_mismatch);
  EXPECT_CODE(processor->check({{"key", {{1, std::nanf("")}}}}, "obs"), Code::not_finite);
  const auto overflow = OneKey().state(bounds({0}, {1e-7})).processor();
  EXPECT_CODE(overflow->normalize({{"key", {{3e38F}}}}, "obs"), Code::not_finite);
}

TEST(State, RefusesStatisticsThatDoNotFit) {
  EXPECT_CODE(OneKey().processor(), Code::not_found);
  EXPECT_CODE(OneKey().state(mean_std(0, 1)).processor(), Code::invalid_file);
  EXPECT_CODE(OneKey().state(bounds({0, 0}, {1, 1}, 2)).processor(), Code::invalid_file);
  const std::vector<double> wide(30);
  EXPECT_CODE(OneKey().state(bounds(wide, wide)).processor(), Code::shape_mismatch);
  OneKey robot;
  robot.config.apply_sincos_state_encoding = true;
  robot.modality.state.sin_cos_embedding_keys = {"key"};
  EXPECT_CODE(robot.processor()->check({{"key", {std::vector<float>(15)}}}, "obs"), Code::shape_mismatch);
}

TEST(Action, AbsoluteBoundsClip) {
  const OneKey robot = OneKey().action(bounds({-0.9375}, {0.9375}));
  EXPECT_THAT(robot.decoded({0.3046875F}), ElementsAre(FloatEq(0.28564453F)));
  EXPECT_THAT(robot.decoded({-1.25F}), ElementsAre(-0.9375F));
  EXPECT_THAT(robot.decoded({0}), ElementsAre(0));
  EXPECT_THAT(OneKey().action(bounds({3}, {3})).decoded({0.7F}), ElementsAre(3));
}

TEST(Action, MeanAndStdDoNotClip) {
  OneKey robot;
  robot.modality.action.mean_std_embedding_keys = {"key"};
  EXPECT_THAT(robot.action(mean_std(1, 2)).decoded({3}), ElementsAre(7));
  EXPECT_THAT(robot.action(mean_std(1, 0)).decoded({3}), ElementsAre(3));
}

TEST(Action, RelativeJointsUseTheRowOfTheirStep) {
  OneKey robot;
  robot.action(bounds({-9, -9}, {9, 9}))
      .relative(bounds({-.1, -.2, -.15, -.3}, {.1, .2, .25, .3}, 2), ActionType::non_eef, ActionFormat::default_format,
                2);
  robot.config.use_percentiles = true;  // does not matter for relative actions
  EXPECT_THAT(robot.decoded({.5F, -.25F, -1, .75F}, 2, {.5F, -1.25F}),
              Pointwise(FloatEq(), {.55F, -1.30F, .35F, -1.025F}));
}

std::vector<double> repeated(double value, size_t count) { return std::vector<double>(count, value); }

OneKey end_effector(ActionFormat format, double scale = 1) {
  const auto width = static_cast<size_t>(pose_width(format));
  const KeyStatistics unit = bounds(repeated(-scale, width), repeated(scale, width));
  OneKey robot;
  robot.config.max_state_dim = robot.config.max_action_dim = 64;
  robot.state(unit).action(unit).relative(unit, ActionType::eef, format, 1);
  return robot;
}

TEST(Action, RelativeEndEffectorMovesInItsOwnFrame) {
  const OneKey robot = end_effector(ActionFormat::xyz_rot6d);
  EXPECT_THAT(robot.decoded({.05F, .02F, -.01F, .8F, -.6F, 0, .5F, .9F, .1F}, 1, {.4F, .1F, .3F, 0, -1, 0, 1, 0, 0}),
              Pointwise(FloatNear(1e-6F), {.38F, .15F, .29F, -.597137F, -.796183F, -.097571F, .8F, -.6F, 0.F}));
}

TEST(Action, RotationVectorsComposeUpToAHalfTurn) {
  const OneKey robot = end_effector(ActionFormat::xyz_rotvec, 4);
  const auto pi = static_cast<float>(M_PI);
  // A quarter turn after three quarters of one is none; after 3/4 pi it is a half turn the other way round or pi.
  EXPECT_THAT(robot.decoded({0, 0, 0, 0, 0, pi / 8}, 1, {1, 2, 3, 0, 0, -pi / 2}),
              Pointwise(FloatNear(2e-6F), {1.F, 2.F, 3.F, 0.F, 0.F, 0.F}));
  EXPECT_THAT(robot.decoded({0, 0, 0, 0, 0, pi / 8}, 1, {1, 2, 3, 0, 0, 0.75F * pi}),
              Pointwise(FloatNear(2e-6F), {1.F, 2.F, 3.F, 0.F, 0.F, -0.75F * pi}));
}

TEST(Action, MatricesComeOutAsMatrices) {
  const OneKey robot = end_effector(ActionFormat::default_format, 2);
  // Twice a rotation is no rotation; the nearest one is taken.
  const std::vector<float> twice{0, -1, 0, .25F, 1, 0, 0, 0, 0, 0, 1, 0, 9, 9, 9, 9};
  const auto actions = robot.decode(twice, 1, {1, 0, 0, 1, 0, 1, 0, 2, 0, 0, 1, 3, 0, 0, 0, 1});
  ASSERT_OK(actions);
  EXPECT_EQ(actions->front().values.shape(), (Shape{1, 4, 4}));
  EXPECT_THAT(
      actions->front().values.flat<float>(),
      Pointwise(FloatNear(1e-6F), {0.F, -1.F, 0.F, 1.5F, 1.F, 0.F, 0.F, 2.F, 0.F, 0.F, 1.F, 3.F, 0.F, 0.F, 0.F, 1.F}));
}

TEST(Action, WhatIsNoRotationIsRefused) {
  const OneKey six = end_effector(ActionFormat::xyz_rot6d);
  const std::vector<float> identity{0, 0, 0, 1, 0, 0, 0, 1, 0};
  EXPECT_OK(six.decode(identity, 1, identity));
  const auto zero = six.decode({0, 0, 0, 0, 0, 0, 0, 1, 0}, 1, identity);
  EXPECT_CODE(zero, Code::invalid_value);
  EXPECT_EQ(zero.error().where, "actions.key[0]");
  EXPECT_CODE(six.decode({0, 0, 0, .5F, 0, 0, .25F, 0, 0}, 1, identity), Code::invalid_value);  // parallel
  const auto reference = six.decode(identity, 1, std::vector<float>(9));
  EXPECT_CODE(reference, Code::invalid_value);
  EXPECT_EQ(reference.error().where, "state.key");
  const OneKey matrix = end_effector(ActionFormat::default_format);
  EXPECT_CODE(matrix.decode(std::vector<float>(16), 1, std::vector<float>(16)), Code::invalid_value);
}

TEST(Action, ChecksItsInput) {
  const OneKey robot = end_effector(ActionFormat::xyz_rot6d);
  const auto decoder = robot.decoder();
  ASSERT_OK(decoder);
  EXPECT_TRUE(decoder->is_relative());
  const std::vector<float> chunk(9, std::numeric_limits<float>::quiet_NaN());
  const std::byte* bytes = std::as_bytes(std::span(chunk)).data();
  EXPECT_CODE(decoder->decode(ConstView(bytes, DType::f32, {1, 9}), {}), Code::not_finite);
  EXPECT_CODE(decoder->decode(ConstView(bytes, DType::f32, {1, 8}), {}), Code::shape_mismatch);
  EXPECT_CODE(decoder->decode(ConstView(bytes, DType::bf16, {1, 9}), {}), Code::unsupported_dtype);
  const std::vector<float> zeros(9);
  const ConstView valid(std::as_bytes(std::span(zeros)).data(), DType::f32, {1, 9});
  EXPECT_CODE(decoder->decode(valid, {}), Code::not_found);
  EXPECT_CODE(decoder->decode(valid, {{"key", {{1, 2}}}}), Code::shape_mismatch);
}

TEST(Action, RefusesConfigurationsThatDoNotFit) {
  OneKey delta = OneKey().action(bounds({0}, {1}));
  delta.modality.action_configs[0].rep = ActionRepresentation::delta;
  EXPECT_CODE(delta.decoder(), Code::unsupported);
  OneKey joints = OneKey().action(bounds({0}, {1}));
  joints.modality.action_configs[0].format = ActionFormat::xyz_rotvec;
  EXPECT_CODE(joints.decoder(), Code::invalid_value);
  OneKey stranger = end_effector(ActionFormat::xyz_rot6d);
  stranger.modality.action_configs[0].state_key = "other";
  EXPECT_CODE(stranger.decoder(), Code::not_found);
  OneKey narrow = end_effector(ActionFormat::xyz_rot6d);
  narrow.modality.action_configs[0].format = ActionFormat::xyz_rotvec;
  EXPECT_CODE(narrow.decoder(), Code::shape_mismatch);
  OneKey state = end_effector(ActionFormat::xyz_rot6d).state(bounds({0}, {1}));
  EXPECT_CODE(state.decoder(), Code::shape_mismatch);
  OneKey rows = OneKey().action(bounds({0}, {1}));
  rows.relative(bounds({0, 0}, {1, 1}, 2), ActionType::non_eef, ActionFormat::default_format, 3);
  EXPECT_CODE(rows.decoder(), Code::shape_mismatch);
  OneKey wide = OneKey().action(bounds(repeated(0, 30), repeated(1, 30)));
  EXPECT_CODE(wide.decoder(), Code::shape_mismatch);
  OneKey libero = OneKey().action(bounds({0}, {1}));
  libero.config.action_transform = ActionTransform::libero;
  EXPECT_CODE(libero.decoder(), Code::unsupported);
  EXPECT_CODE(OneKey().action(KeyStatistics{.where = "statistics.json: tag.action.key", .rows = {}}).decoder(),
              Code::invalid_file);
  EXPECT_CODE(OneKey().decoder(), Code::not_found);
}

}  // namespace
}  // namespace ramet
