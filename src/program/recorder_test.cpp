#include "program/recorder.h"

#include "program/testing.h"

#include <gmock/gmock.h>

#include "support/assertions.h"

namespace ramet {
namespace {

using test::run;
using test::Values;
using testing::ElementsAre;

class RecorderTest : public testing::Test {
 protected:
  RecorderTest() { rec_.begin_stage("test"); }
  Value input(const Shape& shape) { return rec_.input("x", DType::f32, shape); }
  Program finish() { return std::move(rec_).finish(); }

  Recorder rec_;
  test::WeightStore weights_;
};

int64_t count_values(const Program& program, Program::Origin origin) {
  return std::ranges::count_if(program.values, [&](const auto& value) { return value.origin == origin; });
}

int64_t count_nodes(const Program& program, std::string_view name) {
  return std::ranges::count_if(program.nodes, [&](const auto& node) { return op_name(node.op) == name; });
}

TEST_F(RecorderTest, InfersShapes) {
  const Value x = input({6, 8});
  const Value q = rec_.heads(x, 2);
  const Value table = rec_.weight(weights_.random({5, 3}));
  const Value turn = rec_.constant({6, 2}, Values(12, 1));
  const Value index = rec_.index({4}, {0, 4, 4, 2});
  const auto shape = [&](Value value) { return str(rec_.shape(value)); };
  EXPECT_EQ(shape(q), "[6,2,4]");
  EXPECT_EQ(shape(rec_.linear(x, weights_.linear(8, 10))), "[6,10]");
  EXPECT_EQ(shape(rec_.linear_in_out(x, {weights_.random({8, 10}), weights_.random({10})})), "[6,10]");
  EXPECT_EQ(shape(rec_.layer_norm(x, weights_.norm(8), 1e-5F)), "[6,8]");
  EXPECT_EQ(shape(rec_.rms_norm(q, weights_.random({4}), 1e-6F)), "[6,2,4]");
  EXPECT_EQ(shape(rec_.rope(q, turn, turn)), "[6,2,4]");
  EXPECT_EQ(shape(rec_.attention(q, q, q, {.scale = 1, .causal = true, .segments = {{0, 6, 0, 6}}})), "[6,8]");
  EXPECT_EQ(shape(rec_.gather_rows(table, index)), "[4,3]");
  EXPECT_EQ(shape(rec_.interpolate_rows(table, rec_.index({1, 4}, {0, 1, 2, 3}), rec_.constant({1, 4}, Values(4)))),
            "[1,3]");
  EXPECT_EQ(shape(rec_.add_to_rows(x, rec_.slice_rows(x, 0, 2), rec_.index({2}, {1, 3}))), "[6,8]");
  EXPECT_EQ(shape(rec_.concat_rows({x, rec_.slice_rows(x, 2, 1)})), "[7,8]");
  EXPECT_EQ(shape(rec_.concat_cols({x, rec_.slice_cols(x, 2, 1)})), "[6,9]");
  EXPECT_EQ(shape(rec_.reshape(x, {2, 3, 8})), "[2,3,8]");
  EXPECT_EQ(shape(rec_.parameter(weights_.random({8}))), "[8]");
}

// Windows of x = [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]], read directly and by an op.
void record_windows(Recorder& rec, Value x) {
  rec.output("rows", rec.slice_rows(x, 1, 2));
  rec.output("cols", rec.slice_cols(x, 1, 2));
  rec.output("corner", rec.slice_rows(rec.slice_cols(x, 2, 2), 2, 1));
  rec.output("heads", rec.heads(rec.slice_cols(x, 2, 2), 2));
  rec.output("reshaped", rec.slice_rows(rec.reshape(x, {6, 2}), 3, 2));
  rec.output("reshaped row", rec.reshape(rec.slice_cols(rec.slice_rows(x, 1, 1), 1, 2), {2, 1}));
  rec.output("sum", rec.add(rec.slice_cols(x, 0, 2), rec.slice_cols(x, 2, 2)));
}

void expect_windows(const std::map<std::string, Values>& outputs) {
  EXPECT_THAT(outputs.at("rows"), ElementsAre(4, 5, 6, 7, 8, 9, 10, 11));
  EXPECT_THAT(outputs.at("cols"), ElementsAre(1, 2, 5, 6, 9, 10));
  EXPECT_THAT(outputs.at("corner"), ElementsAre(10, 11));
  EXPECT_THAT(outputs.at("heads"), ElementsAre(2, 3, 6, 7, 10, 11));
  EXPECT_THAT(outputs.at("reshaped"), ElementsAre(6, 7, 8, 9));
  EXPECT_THAT(outputs.at("reshaped row"), ElementsAre(5, 6));
  EXPECT_THAT(outputs.at("sum"), ElementsAre(2, 4, 10, 12, 18, 20));
}

TEST_F(RecorderTest, WindowsOfInputs) {
  record_windows(rec_, input({3, 4}));
  expect_windows(run(finish(), {{"x", test::counted(12)}}));
}

TEST_F(RecorderTest, WindowsOfComputedValues) {
  record_windows(rec_, rec_.relu(input({3, 4})));
  expect_windows(run(finish(), {{"x", test::counted(12)}}));
}

TEST_F(RecorderTest, WindowsOfWeights) {
  record_windows(rec_, rec_.weight(weights_.add({3, 4}, test::counted(12))));
  expect_windows(run(finish(), {}));
}

TEST_F(RecorderTest, WindowsOfConstants) {
  record_windows(rec_, rec_.constant({3, 4}, test::counted(12)));
  expect_windows(run(finish(), {}));
}

TEST_F(RecorderTest, WindowsCountInElementsOfTheirType) {
  const std::vector<uint16_t> halves{0x3F80, 0x4000, 0x4040, 0x4080, 0x40A0, 0x40C0};  // bf16: 1 2 3 4 5 6
  const Buffer table = Buffer::copy_of<uint16_t>(DType::bf16, {3, 2}, halves).value();
  const Value tail = rec_.slice_rows(rec_.weight(test::as_weight(table)), 1, 2);
  rec_.output("y", rec_.gather_rows(tail, rec_.index({2}, {1, 0})));
  EXPECT_THAT(run(finish(), {}).at("y"), ElementsAre(5, 6, 3, 4));
}

TEST_F(RecorderTest, WeightsAreRecordedOnce) {
  const LinearWeights layer = weights_.linear(8, 8);
  const Value x = input({2, 8});
  rec_.output("y", rec_.linear(rec_.linear(x, layer), layer));
  EXPECT_EQ(rec_.weight(layer.weight), rec_.weight(layer.weight));
  EXPECT_EQ(rec_.parameter(layer.bias), rec_.parameter(layer.bias));
  const Program program = finish();
  EXPECT_EQ(count_values(program, Program::Origin::weight), 2);
  EXPECT_EQ(count_nodes(program, "widen"), 1);
}

TEST_F(RecorderTest, OtherViewsOfAWeightAreOtherValues) {
  const Weight table = weights_.random({4, 4});
  const ConstView flat(table.view.bytes(), DType::f32, {16});
  const ConstView left(table.view.bytes(), DType::f32, {4, 2}, table.view.strides());
  EXPECT_EQ(str(rec_.shape(rec_.parameter(table))), "[4,4]");
  EXPECT_EQ(str(rec_.shape(rec_.parameter({"flat", flat, Category::vision}))), "[16]");
  EXPECT_NE(rec_.weight({"left", left, Category::vision}),
            rec_.weight({"dense", ConstView(table.view.bytes(), DType::f32, {4, 2}), Category::vision}));
}

TEST_F(RecorderTest, KeepsNamesAndStages) {
  const Value x = input({2, 2});
  EXPECT_EQ(rec_.tap("first", rec_.relu(x)), Value{x.id + 1});
  rec_.begin_stage("second");
  rec_.output("y", rec_.tap("last", rec_.silu(x)));
  const Program program = finish();
  EXPECT_THAT(program.stages, ElementsAre("test", "second"));
  EXPECT_THAT(test::names(program.inputs), ElementsAre("x"));
  EXPECT_THAT(test::names(program.taps), ElementsAre("first", "last"));
  EXPECT_THAT(test::names(program.outputs), ElementsAre("y"));
  EXPECT_EQ(program.nodes[0].stage, 0);
  EXPECT_EQ(program.nodes[1].stage, 1);
}

TEST_F(RecorderTest, RefusesWrongShapes) {
  const Value x = input({6, 8});
  EXPECT_REFUSED(rec_.linear(x, weights_.linear(7, 10)));
  EXPECT_REFUSED(rec_.add(x, rec_.slice_rows(x, 0, 5)));
  EXPECT_REFUSED(rec_.slice_rows(x, -1, 2));
  EXPECT_REFUSED(rec_.slice_rows(x, 5, 2));
  EXPECT_REFUSED(rec_.slice_cols(x, 8, 1));
  EXPECT_REFUSED(rec_.heads(x, 3));
  EXPECT_REFUSED(rec_.reshape(x, {6, 7}));
  EXPECT_REFUSED(rec_.reshape(rec_.slice_cols(x, 0, 4), {24}));
  EXPECT_REFUSED(rec_.constant({2, 2}, {1, 2, 3}));
  EXPECT_REFUSED(rec_.index({2}, {1, 2, 3}));
  EXPECT_REFUSED(Recorder().relu(x));
}

}  // namespace
}  // namespace ramet
