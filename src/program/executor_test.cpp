#include "program/executor.h"

#include "program/testing.h"

#include <gmock/gmock.h>

#include <limits>

#include "support/allocations.h"
#include "support/assertions.h"

namespace ramet {
namespace {

using test::Values;
using testing::DoubleEq;
using testing::ElementsAre;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

class OracleTest : public testing::Test {
 protected:
  Executor compile(const Program& program, std::vector<std::string> taps = {}) {
    return Executor::compile(program, pool_, {.taps = std::move(taps), .on_progress = {}}).value();
  }

  ThreadPool pool_{2};
  test::WeightStore weights_;
};

Values run(Executor& executor, const Values& x) {
  test::fill(executor.input("x"), x);
  EXPECT_OK(executor.run());
  return test::values_of(executor.output("y"));
}

Values block_input(uint64_t seed) { return test::random_values(test::kTokens * test::kHidden, seed); }

TEST_F(OracleTest, ReplayAllocatesNothing) {
  const Program program = test::attention_block(weights_);
  Executor executor = compile(program, {"qkv", "sum"});
  const Values x = block_input(1);
  for (int replay = 0; replay < 3; ++replay) {
    const int64_t before = test::allocations();
    std::ranges::copy(x, executor.input("x").flat<float>().begin());
    const bool is_ok = executor.run().has_value();
    const float first = executor.output("y").flat<float>()[0];
    EXPECT_EQ(test::allocations(), before) << "replay " << replay;
    EXPECT_TRUE(is_ok);
    EXPECT_TRUE(std::isfinite(first));
  }
}

TEST_F(OracleTest, ThreadsAndRepeatsChangeNoBit) {
  const Program program = test::attention_block(weights_);
  Executor reference = compile(program);
  const Values y = run(reference, block_input(1));
  EXPECT_TRUE(test::same_bits(run(reference, block_input(1)), y));
  for (const int threads : {1, 3}) {
    ThreadPool pool(threads);
    Executor executor = Executor::compile(program, pool, {}).value();
    EXPECT_TRUE(test::same_bits(run(executor, block_input(1)), y)) << threads << " threads";
  }
}

TEST_F(OracleTest, NewInputsGiveNewOutputs) {
  const Program program = test::attention_block(weights_);
  Executor executor = compile(program);
  const Values first = run(executor, block_input(1));
  const Values second = run(executor, block_input(2));
  EXPECT_FALSE(test::same_bits(first, second));
  EXPECT_TRUE(test::same_bits(run(executor, block_input(1)), first));
  Executor fresh = compile(program);
  EXPECT_TRUE(test::same_bits(run(fresh, block_input(2)), second));
}

// Kept taps have memory of their own, so a value overwritten too early would show as a difference.
TEST_F(OracleTest, KeptTapsChangeNoBit) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const Program program = test::random_program(seed, weights_);
    const auto outputs = [&](std::vector<std::string> taps) {
      Executor executor = compile(program, std::move(taps));
      for (const auto& input : program.inputs)
        test::fill(executor.input(input.name), test::random_values(program.shape(input.value).elements(), seed));
      EXPECT_OK(executor.run());
      std::vector<Values> values;
      for (const auto& output : program.outputs) values.push_back(test::values_of(executor.output(output.name)));
      return values;
    };
    const std::vector<Values> plain = outputs({}), kept = outputs({"*"});
    for (size_t i = 0; i < plain.size(); ++i) EXPECT_TRUE(test::same_bits(plain[i], kept[i])) << "seed " << seed;
  }
}

TEST_F(OracleTest, TapsAreChosenByGlobAndKeepTheirOrder) {
  Recorder rec;
  rec.begin_stage("s");
  Value x = rec.input("x", DType::f32, {1, 4});
  for (const char* name : {"block.0", "block.1", "head"}) x = rec.tap(name, rec.add(x, x));
  rec.tap("block.half", rec.slice_cols(x, 2, 2));
  rec.output("y", x);
  const Program program = std::move(rec).finish();
  Executor executor = compile(program, {"block.*"});
  run(executor, {0, 1, 2, 3});
  const auto taps = executor.taps();
  ASSERT_EQ(taps.size(), 3U);
  EXPECT_EQ(taps[0].name, "block.0");
  EXPECT_THAT(test::values_of(taps[0].view), ElementsAre(0, 2, 4, 6));
  EXPECT_EQ(taps[1].name, "block.1");
  EXPECT_THAT(test::values_of(taps[1].view), ElementsAre(0, 4, 8, 12));
  EXPECT_EQ(taps[2].name, "block.half");
  EXPECT_THAT(test::values_of(taps[2].view), ElementsAre(16, 24));
  EXPECT_TRUE(compile(program).taps().empty());
}

TEST_F(OracleTest, HoistedNodesRunOnceAtCompile) {
  Recorder rec;
  rec.begin_stage("s");
  const Value x = rec.input("x", DType::f32, {1, 2});
  const Weight bias = weights_.add({1, 2}, {10, 20});
  rec.output("y", rec.add(x, rec.parameter(bias)));
  const Program program = std::move(rec).finish();
  Executor executor = compile(program);
  test::fill(weights_.last().view(), {-1, -1});  // widened already: no replay reads it
  EXPECT_THAT(run(executor, {1, 2}), ElementsAre(11, 22));
  EXPECT_THAT(run(executor, {0, 0}), ElementsAre(10, 20));
  Executor later = compile(program);
  EXPECT_THAT(run(later, {1, 2}), ElementsAre(0, 1));
}

// y = x; the branch beside it yields infinities.
Program with_a_bad_branch() {
  Recorder rec;
  rec.begin_stage("s");
  const Value x = rec.input("x", DType::f32, {1, 2});
  rec.tap("bad", rec.multiply(x, rec.constant({1, 2}, {kInfinity, 1})));
  rec.output("y", rec.relu(x));
  return std::move(rec).finish();
}

TEST_F(OracleTest, WhatNothingNeedsIsNotRun) {
  const Program program = with_a_bad_branch();
  Executor plain = compile(program);
  EXPECT_THAT(run(plain, {1, 2}), ElementsAre(1, 2));
  Executor tapped = compile(program, {"bad"});
  test::fill(tapped.input("x"), {1, 2});
  EXPECT_CODE(tapped.run(), Code::not_finite);
}

TEST_F(OracleTest, NotFiniteNamesTheFirstTap) {
  Recorder rec;
  rec.begin_stage("s");
  const Value x = rec.input("x", DType::f32, {3, 4});
  const Value scaled = rec.tap("scaled", rec.relu(x));
  const Value squared = rec.multiply(scaled, scaled);
  rec.tap("left", rec.slice_cols(squared, 0, 2));
  rec.tap("heads", rec.heads(rec.slice_cols(squared, 2, 2), 2));
  rec.output("y", rec.tap("last", rec.add(squared, squared)));
  const Program program = std::move(rec).finish();
  Executor executor = compile(program);
  const auto error_of = [&](int64_t position, float value) {
    Values values(12, 1.0F);
    values[static_cast<size_t>(position)] = value;
    test::fill(executor.input("x"), values);
    const Status status = executor.run();
    return status ? Error{} : status.error();
  };
  EXPECT_EQ(error_of(5, kNan).where, "tap scaled");
  EXPECT_EQ(error_of(5, kNan).found, "nan at [1,1]");
  EXPECT_EQ(error_of(9, 1e30F).where, "tap left");
  EXPECT_EQ(error_of(9, 1e30F).found, "inf at [2,1]");
  EXPECT_EQ(error_of(11, 1e30F).where, "tap heads");
  EXPECT_EQ(error_of(11, 1e30F).found, "inf at [5,0]");  // rows are tokens times heads
  EXPECT_EQ(error_of(0, 1.5e19F).where, "tap last");     // 2.25e38 is finite, its double is not
  EXPECT_EQ(error_of(0, 1.5e19F).code, Code::not_finite);
  EXPECT_THAT(run(executor, Values(12, 2.0F)), testing::Each(8.0F));  // recovers
}

TEST_F(OracleTest, NotFiniteWeightsAreFoundAtCompile) {
  Recorder rec;
  rec.begin_stage("s");
  const Value x = rec.input("x", DType::f32, {1, 2});
  rec.output("y", rec.add(x, rec.tap("bias", rec.parameter(weights_.add({1, 2}, {0, kNan})))));
  const Program program = std::move(rec).finish();
  const auto executor = Executor::compile(program, pool_, {});
  ASSERT_FALSE(executor.has_value());
  EXPECT_EQ(executor.error().code, Code::not_finite);
  EXPECT_EQ(executor.error().where, "tap bias");
}

TEST_F(OracleTest, TimesAreOfTheLastRun) {
  const Program program = test::attention_block(weights_);
  Executor executor = compile(program);
  for (int replay = 0; replay < 2; ++replay) {
    const auto start = std::chrono::steady_clock::now();
    run(executor, block_input(1));
    const std::chrono::duration<double, std::milli> wall = std::chrono::steady_clock::now() - start;
    const auto& times = executor.times();
    ASSERT_EQ(times.size(), 2U);
    EXPECT_EQ(times[0].stage, "project");
    EXPECT_EQ(times[1].stage, "attend");
    EXPECT_GT(times[0].ms, 0);
    EXPECT_GT(times[1].ms, 0);
    EXPECT_LE(times[0].ms + times[1].ms, wall.count());
  }
}

TEST_F(OracleTest, ProgressFollowsTheWork) {
  Recorder rec;
  rec.begin_stage("s");
  const Value x = rec.input("x", DType::f32, {4, 8});
  const Value projected = rec.linear(x, weights_.random({6, 8}));  // 4 * 6 * 8 = 192
  const Value q = rec.heads(rec.silu(projected), 2);               // 4 * 6 = 24
  const ops::Attention attributes{.scale = 1, .causal = false, .segments = {{0, 1, 0, 4}, {1, 4, 2, 4}}};
  rec.output("y", rec.attention(q, q, q, attributes));  // 2 * (1 * 4 + 3 * 2) * 6 = 120
  const Program program = std::move(rec).finish();
  std::vector<double> shares;
  ExecutorOptions options{.taps = {}, .on_progress = [&](double share) { shares.push_back(share); }};
  Executor executor = Executor::compile(program, pool_, std::move(options)).value();
  EXPECT_TRUE(shares.empty());
  run(executor, test::random_values(32, 1));
  EXPECT_THAT(shares, ElementsAre(DoubleEq(192.0 / 336), DoubleEq(216.0 / 336), 1.0));
}

TEST_F(OracleTest, InputsOfOtherTypes) {
  Recorder rec;
  rec.begin_stage("s");
  const Value ids = rec.input("ids", DType::i64, {3});
  rec.output("y", rec.gather_rows(rec.weight(weights_.add({3, 2}, test::counted(6))), ids));
  const Program program = std::move(rec).finish();
  Executor executor = compile(program);
  std::ranges::copy(std::array<int64_t, 3>{2, 0, 2}, executor.input("ids").flat<int64_t>().begin());
  ASSERT_OK(executor.run());
  EXPECT_THAT(test::values_of(executor.output("y")), ElementsAre(4, 5, 0, 1, 4, 5));
}

TEST_F(OracleTest, RefusesUnknownNames) {
  const Program program = with_a_bad_branch();
  Executor executor = compile(program);
  EXPECT_REFUSED(executor.input("y"));
  EXPECT_REFUSED(executor.output("x"));
}

}  // namespace
}  // namespace ramet
