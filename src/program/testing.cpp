#include "program/testing.h"

#include "ops/operand.h"
#include "program/executor.h"

#include <gtest/gtest.h>

#include <bit>
#include <numeric>
#include <random>

#include "support/assertions.h"

namespace ramet::test {

Values counted(int64_t count) {
  Values values(static_cast<size_t>(count));
  std::iota(values.begin(), values.end(), 0.0F);
  return values;
}

Values random_values(int64_t count, uint64_t seed) {
  std::mt19937_64 bits(seed);
  Values values(static_cast<size_t>(count));
  for (float& value : values) value = static_cast<float>(bits() >> 40) * 0x1p-23F - 1.0F;
  return values;
}

Values values_of(ConstView view) {
  Values values;
  for (int64_t r = 0; r < view.shape().rows(); ++r) {
    const float* row = ops::row_of<float>(view, r);
    values.insert(values.end(), row, row + view.shape().cols());
  }
  return values;
}

void fill(View view, const Values& values) {
  ASSERT_EQ(view.shape().elements(), static_cast<int64_t>(values.size()));
  std::ranges::copy(values, view.flat<float>().begin());
}

bool same_bits(const Values& a, const Values& b) {
  return std::ranges::equal(a, b,
                            [](float x, float y) { return std::bit_cast<uint32_t>(x) == std::bit_cast<uint32_t>(y); });
}

Weight as_weight(const Buffer& buffer) { return {"test", buffer.view(), Category::vision}; }

std::vector<std::string> names(const std::vector<Program::Named>& list) {
  std::vector<std::string> result;
  for (const Program::Named& named : list) result.push_back(named.name);
  return result;
}

Weight WeightStore::add(const Shape& shape, const Values& values) {
  return as_weight(buffers_.emplace_back(Buffer::copy_of<float>(DType::f32, shape, values).value()));
}

Weight WeightStore::random(const Shape& shape) {
  return add(shape, random_values(shape.elements(), buffers_.size() + 1));
}

Weight WeightStore::random_bf16(const Shape& shape) {
  std::vector<uint16_t> bits;
  for (const float value : random_values(shape.elements(), buffers_.size() + 1)) bits.push_back(f32_to_bf16(value));
  return as_weight(buffers_.emplace_back(Buffer::copy_of<uint16_t>(DType::bf16, shape, bits).value()));
}

Program attention_block(WeightStore& weights) {
  const NormWeights norm = weights.norm(kHidden);
  const LinearWeights qkv_proj = weights.linear(kHidden, 3 * kHidden);
  Recorder rec;
  const Value x = rec.input("x", DType::f32, {kTokens, kHidden});
  rec.begin_stage("project");
  const Value qkv = rec.tap("qkv", rec.linear(rec.layer_norm(x, norm, 1e-5F), qkv_proj));
  const auto part = [&](int64_t i) { return rec.heads(rec.slice_cols(qkv, i * kHidden, kHidden), kHeads); };
  rec.begin_stage("attend");
  const ops::Attention attributes{.scale = 0.25F, .causal = false, .segments = {{0, kTokens, 0, kTokens}}};
  const Value mixed = rec.tap("attention", rec.attention(part(0), part(1), part(2), attributes));
  rec.output("y", rec.tap("sum", rec.add(x, mixed)));
  return std::move(rec).finish();
}

namespace {

constexpr int kOps = 40;

class RandomRecorder {
 public:
  RandomRecorder(uint64_t seed, WeightStore& weights) : bits_(seed), weights_(weights) {
    rec_.begin_stage("random");
    values_.push_back(rec_.input("a", DType::f32, {6, 8}));
    values_.push_back(rec_.input("b", DType::f32, {3, 16}));
    values_.push_back(rec_.constant({2, 24}, random_values(48, seed)));
  }

  Program record() && {
    for (int i = 0; i < kOps; ++i) values_.push_back(rec_.tap(std::to_string(i), step()));
    for (int i = 0; i < 3; ++i) rec_.output("out" + std::to_string(i), any());
    return std::move(rec_).finish();
  }

 private:
  int64_t up_to(int64_t last) { return static_cast<int64_t>(bits_() % static_cast<uint64_t>(last + 1)); }
  Value any() { return values_[static_cast<size_t>(up_to(static_cast<int64_t>(values_.size()) - 1))]; }

  Value step() {
    const Value x = any();
    const int64_t rows = rec_.shape(x)[0], cols = rec_.shape(x)[1];
    switch (up_to(8)) {
      case 0: return rec_.gelu_tanh(x);
      case 1: return rec_.add(x, rec_.layer_norm(x, 1e-5F));
      case 2: return rec_.layer_norm(rec_.linear(x, weights_.linear(cols, 1 + up_to(30))), 1e-5F);
      case 3: return rec_.slice_rows(x, up_to(rows / 2), rows - rows / 2);
      case 4: return rec_.slice_cols(x, up_to(cols / 2), cols - cols / 2);
      case 5: return rows < 20 ? rec_.concat_rows({x, x}) : rec_.silu(x);
      case 6: return rec_.reshape(rec_.relu(x), {cols, rows});
      case 7: return rec_.layer_norm(x, weights_.norm(cols), 1e-5F);
      default: return rec_.multiply(x, x);
    }
  }

  std::mt19937_64 bits_;
  WeightStore& weights_;
  Recorder rec_;
  std::vector<Value> values_;
};

}  // namespace

Program random_program(uint64_t seed, WeightStore& weights) { return RandomRecorder(seed, weights).record(); }

std::map<std::string, Values> run(const Program& program, const std::map<std::string, Values>& inputs) {
  ThreadPool pool(2);
  auto executor = Executor::compile(program, pool, {}).value();
  for (const auto& [name, values] : inputs) fill(executor.input(name), values);
  EXPECT_OK(executor.run());
  std::map<std::string, Values> outputs;
  for (const Program::Named& output : program.outputs) outputs[output.name] = values_of(executor.output(output.name));
  return outputs;
}

}  // namespace ramet::test
