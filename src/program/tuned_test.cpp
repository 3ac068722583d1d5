// The tuned executor against the oracle, on the same programs.
#include "ops/emulated_kernels.h"
#include "program/executor.h"
#include "program/fusion.h"
#include "program/packed_weights.h"
#include "program/testing.h"

#include <gmock/gmock.h>

#include "support/allocations.h"
#include "support/assertions.h"

namespace ramet {
namespace {

using test::Values;

PrecisionTable precision(std::string_view text) { return PrecisionTable::parse(text).value(); }

std::vector<Isa> machine_isas() {
  std::vector<Isa> isas;
  for (const Isa isa : kIsas)
    if (cpu_features().has(isa)) isas.push_back(isa);
  return isas;
}

struct Setting {
  std::string_view precision = "fp32";
  Isa isa = cpu_features().best();
  int threads = 2;
  std::vector<std::string> taps = {};
};

std::map<std::string, Values> run_tuned(const Program& program, const Setting& setting, uint64_t seed) {
  ThreadPool pool(setting.threads);
  PackedWeights packed;
  const Tuning tuning{.precision = precision(setting.precision), .isa = setting.isa, .weights = &packed};
  Executor executor = Executor::compile(program, pool, {.taps = setting.taps, .tuning = tuning}).value();
  for (const auto& input : program.inputs)
    test::fill(executor.input(input.name), test::random_values(program.shape(input.value).elements(), seed));
  EXPECT_OK(executor.run());
  std::map<std::string, Values> values;
  for (const auto& output : program.outputs) values[output.name] = test::values_of(executor.output(output.name));
  for (const Executor::Tap& tap : executor.taps()) values["tap " + std::string(tap.name)] = test::values_of(tap.view);
  return values;
}

std::map<std::string, Values> run_oracle(const Program& program, uint64_t seed) {
  std::map<std::string, Values> inputs;
  for (const auto& input : program.inputs)
    inputs[input.name] = test::random_values(program.shape(input.value).elements(), seed);
  return test::run(program, inputs);
}

double distance(const Values& a, const Values& b) {
  double difference = 0, size = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    difference += (a[i] - b[i]) * (a[i] - b[i]);
    size += b[i] * b[i];
  }
  return std::sqrt(difference / std::max(size, 1e-30));
}

// attention, norms, residuals, a gated and a plain feed-forward, as the models have them
Program transformer_block(test::WeightStore& weights) {
  constexpr int64_t kRows = 77, kWidth = 64, kInner = 144, kNumHeads = 4;
  Recorder rec;
  rec.begin_stage("block");
  Value x = rec.input("x", DType::f32, {kRows, kWidth});
  const Value n = rec.layer_norm(x, weights.norm(kWidth), 1e-5F);
  const auto heads = [&](Value v) { return rec.heads(rec.linear(v, weights.linear(kWidth, kWidth)), kNumHeads); };
  const Value q = heads(n), k = heads(n), v = heads(n);
  const ops::Attention attention{.scale = 0.25F, .causal = true, .segments = {{0, kRows, 0, kRows}}};
  x = rec.tap("attn", rec.add(x, rec.linear(rec.attention(q, k, v, attention), weights.linear(kWidth, kWidth))));
  const Value u = rec.rms_norm(x, weights.random({kWidth}), 1e-6F);
  const Value gate = rec.silu(rec.linear(u, weights.random({kInner, kWidth})));
  const Value up = rec.linear(u, weights.random({kInner, kWidth}));
  x = rec.tap("mlp", rec.add(x, rec.linear(rec.multiply(gate, up), weights.random({kWidth, kInner}))));
  const Value m =
      rec.ada_layer_norm(x, rec.parameter(weights.random({kWidth})), rec.parameter(weights.random({kWidth})), 1e-5F);
  const Value ff = rec.gelu_tanh(rec.linear(m, weights.linear(kWidth, kInner)));
  rec.output("y", rec.add(rec.linear(ff, weights.linear(kInner, kWidth)), x));
  return std::move(rec).finish();
}

// What roundings may add up to. Only some kernels round rows, and amx.fp32 leaves 2^-15 of each product away.
double gate_of(ops::Precision precision, Isa isa) {
  const ops::ProductKernel& kernel = ops::choose_product_kernel(precision, DType::f32, isa);
  switch (precision) {
    case ops::Precision::fp32: return kernel.isa == Isa::amx ? 5e-5 : 2e-6;
    case ops::Precision::bf16: return kernel.exact_rows ? 1e-2 : 2e-2;
    case ops::Precision::int8: return 4e-2;
  }
  return 0;
}

TEST(Tuned, AgreesWithTheOracle) {
  test::WeightStore weights;
  const Program program = transformer_block(weights);
  const Values expected = run_oracle(program, 3).at("y");
  for (const Isa isa : machine_isas())
    for (const ops::Precision precision : {ops::Precision::fp32, ops::Precision::bf16, ops::Precision::int8}) {
      const Values y = run_tuned(program, {.precision = name(precision), .isa = isa}, 3).at("y");
      EXPECT_LT(distance(y, expected), gate_of(precision, isa)) << name(precision) << " on " << name(isa);
    }
}

TEST(Tuned, AgreesOnRandomPrograms) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    test::WeightStore weights;
    const Program program = test::random_program(seed, weights);
    const auto expected = run_oracle(program, seed);
    const auto values = run_tuned(program, {}, seed);
    for (const auto& [name, y] : expected) EXPECT_LT(distance(values.at(name), y), 1e-4) << "seed " << seed << name;
  }
}

// One product may read copies, another all columns, and a third the norm of what holds copies. Sums of bf16 weights are
// no bf16 any more: they are kept in float32.
TEST(Tuned, ReadsOneCopyOfEqualColumns) {
  constexpr int64_t kRows = 37, kWidth = 24, kOut = 40;
  test::WeightStore weights;
  Recorder rec;
  rec.begin_stage("s");
  const Value picture = rec.input("x", DType::f32, {kRows, 2 * kWidth});
  const Value red = rec.slice_cols(picture, 0, kWidth), green = rec.slice_cols(picture, kWidth, kWidth);
  const Value x = rec.concat_cols({red, red, green, green});
  const LinearWeights layer{weights.random_bf16({kOut, 4 * kWidth}), weights.random({kOut})};
  const ops::ColumnCopies copies{.count = 2, .width = kWidth};
  rec.output("y", rec.linear(x, layer, copies));
  rec.output("z", rec.linear(x, layer));
  rec.output("n", rec.linear(rec.layer_norm(x, 1e-5F), layer, copies));
  const Program program = std::move(rec).finish();
  const auto expected = run_oracle(program, 3);
  for (const Isa isa : machine_isas()) {
    const auto values = run_tuned(program, {.isa = isa}, 3);
    for (const char* output : {"y", "z", "n"})
      EXPECT_LT(distance(values.at(output), expected.at(output)), gate_of(ops::Precision::fp32, isa))
          << output << " on " << name(isa);
  }
  ThreadPool pool(1);
  PackedWeights packed;
  const Tuning tuning{.precision = precision("fp32"), .isa = cpu_features().best(), .weights = &packed};
  Executor::compile(program, pool, {.tuning = tuning}).value();
  const auto bytes = [](DType stored, int64_t in) {
    const Isa best = cpu_features().best();
    return ops::packed_bytes(ops::choose_product_kernel(ops::Precision::fp32, stored, best), in, kOut);
  };
  EXPECT_EQ(packed.bytes(), bytes(DType::bf16, 4 * kWidth) + bytes(DType::f32, 2 * kWidth));
}

TEST(Tuned, ThreadsTapsAndRepeatsChangeNoBit) {
  test::WeightStore weights;
  const Program program = transformer_block(weights);
  for (const char* precision : {"fp32", "bf16", "int8"}) {
    const Values y = run_tuned(program, {.precision = precision, .threads = 1}, 5).at("y");
    for (const int threads : {1, 2, 3})
      EXPECT_TRUE(test::same_bits(run_tuned(program, {.precision = precision, .threads = threads}, 5).at("y"), y));
    const auto tapped = run_tuned(program, {.precision = precision, .taps = {"*"}}, 5);
    EXPECT_TRUE(test::same_bits(tapped.at("y"), y)) << precision;
    EXPECT_EQ(tapped.size(), 3U);
  }
}

TEST(Tuned, ReplayAllocatesNothing) {
  test::WeightStore weights;
  const Program program = transformer_block(weights);
  ThreadPool pool(2);
  PackedWeights packed;
  const Tuning tuning{.precision = {}, .isa = cpu_features().best(), .weights = &packed};
  Executor executor = Executor::compile(program, pool, {.tuning = tuning}).value();
  for (int replay = 0; replay < 3; ++replay) {
    const int64_t before = test::allocations();
    const bool is_ok = executor.run().has_value();
    EXPECT_EQ(test::allocations(), before);
    EXPECT_TRUE(is_ok);
  }
}

TEST(Tuned, ProgramsOfOneModelShareItsWeights) {
  test::WeightStore weights;
  const Program program = transformer_block(weights);
  ThreadPool pool(1);
  PackedWeights packed;
  const Tuning tuning{.precision = {}, .isa = cpu_features().best(), .weights = &packed};
  Executor first = Executor::compile(program, pool, {.tuning = tuning}).value();
  const int64_t bytes = packed.bytes();
  EXPECT_GT(bytes, 0);
  Executor second = Executor::compile(program, pool, {.tuning = tuning}).value();
  EXPECT_EQ(packed.bytes(), bytes);
}

TEST(Tuned, NamesTheFirstTapThatIsNotFinite) {
  test::WeightStore weights;
  Recorder rec;
  rec.begin_stage("s");
  const Value x = rec.tap("first", rec.silu(rec.input("x", DType::f32, {1, 2})));
  const Value y = rec.tap("second", rec.add(x, rec.parameter(weights.add({1, 2}, {0, std::nanf("")}))));
  rec.output("y", rec.tap("third", rec.silu(y)));
  const Program program = std::move(rec).finish();
  ThreadPool pool(1);
  PackedWeights packed;
  Executor executor = Executor::compile(program, pool, {.tuning = Tuning{.precision = {}, .weights = &packed}}).value();
  test::fill(executor.input("x"), {1, 2});
  const Status status = executor.run();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::not_finite);
  EXPECT_EQ(status.error().where, "tap second");
}

TEST(Tuned, ResumesAtAStage) {
  test::WeightStore weights;
  const Program program = test::attention_block(weights);
  ThreadPool pool(2);
  PackedWeights packed;
  const Tuning tuning{.precision = {}, .isa = cpu_features().best(), .weights = &packed};
  Executor executor =
      Executor::compile(program, pool, {.tuning = tuning, .resumable_stage = program.stages.back()}).value();
  test::fill(executor.input("x"), test::random_values(program.shape(program.inputs[0].value).elements(), 1));
  EXPECT_FALSE(executor.can_resume());
  EXPECT_OK(executor.run());
  const Values y = test::values_of(executor.output("y"));
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(executor.can_resume());
    EXPECT_OK(executor.resume());
    EXPECT_TRUE(test::same_bits(test::values_of(executor.output("y")), y));
    EXPECT_EQ(executor.times().front().ms, 0);
  }
}

// Rows may be handed over in the form that the reader multiplies: if the writer's tiles and panels fit it, if all rows
// are read as they were written, and if nobody may look at them.
TEST(Fusion, LinesStandWhereWriterAndReaderAgree) {
  const auto kernels = test::emulated_product_kernels();
  const auto* amx = *std::ranges::find(kernels, "emulated.amx.bf16", &ops::ProductKernel::name);
  const auto* other = &ops::choose_product_kernel(ops::Precision::bf16, DType::f32, Isa::scalar);
  struct Chain {
    const ops::ProductKernel* writer;
    bool is_reshaped = false, is_tapped = false;
  };
  const auto lines = [&](const Chain& chain) {
    test::WeightStore weights;
    Recorder rec;
    rec.begin_stage("s");
    Value h = rec.linear(rec.input("x", DType::f32, {48, 64}), weights.random({96, 64}));
    if (chain.is_tapped) h = rec.tap("h", h);
    const Value read = chain.is_reshaped ? rec.reshape(h, {24, 192}) : h;
    rec.output("y", rec.linear(read, weights.random({32, chain.is_reshaped ? 192 : 96})));
    const Program program = std::move(rec).finish();
    const auto choose = [&](const Program::Node& linear) { return linear.output == h ? chain.writer : amx; };
    return fuse(program, find_node_use(program, {}), {}, choose).lines_for[static_cast<size_t>(h.id)];
  };
  EXPECT_EQ(lines({.writer = amx}), amx);
  EXPECT_EQ(lines({.writer = other}), nullptr);
  EXPECT_EQ(lines({.writer = amx, .is_reshaped = true}), nullptr);
  EXPECT_EQ(lines({.writer = amx, .is_tapped = true}), nullptr);
}

TEST(Fusion, TakesInWhatNobodyElseReads) {
  test::WeightStore weights;
  const Program program = transformer_block(weights);
  const auto kernel = [&](const Program::Node&) {
    return &ops::choose_product_kernel(ops::Precision::fp32, DType::f32, Isa::scalar);
  };
  const Fusion fusion = fuse(program, find_node_use(program, {}), {}, kernel);
  ASSERT_EQ(fusion.groups.size(), 6U);  // qkv, to_out, gate and up, down, ff1, ff2
  EXPECT_EQ(fusion.groups[0].parts.size(), 3U);
  EXPECT_NE(fusion.groups[0].norm, nullptr);
  EXPECT_TRUE(fusion.groups[1].parts[0].residual.valid());
  EXPECT_NE(fusion.groups[2].parts[0].gated, nullptr);
  EXPECT_TRUE(fusion.groups[4].parts[0].f.has_value());
  const std::vector<Value> kept{fusion.groups[4].parts[0].output};
  const Fusion watched = fuse(program, find_node_use(program, kept), kept, kernel);
  EXPECT_EQ(watched.groups[4].parts[0].output, kept[0]);
}

}  // namespace
}  // namespace ramet
