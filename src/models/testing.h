// Small models with synthetic weights, and what their programs compute, for the tests of this layer.
#pragma once

#include "models/gr00t_n17.h"
#include "models/qwen3_vl.h"
#include "program/executor.h"
#include "weights/synth_writer.h"
#include "weights/testing.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ramet::test {

// A checkpoint that holds what `build(claims)` asks for.
class SyntheticCheckpoint {
 public:
  template <class Build>
  explicit SyntheticCheckpoint(const Build& build) {
    const Checkpoint none;
    WeightClaims wishes(none);
    build(wishes);
    std::vector<ListedTensor> tensors;
    for (const WeightClaims::Wish& wish : wishes.wishes())
      tensors.push_back({{wish.name, DType::bf16, wish.shape}, {}});
    EXPECT_OK(write_synthetic(tensors, "test", folder_.path(), {}, pool_));
    checkpoint_ = Checkpoint::open(folder_.path()).value();
    claims_.emplace(checkpoint_);
  }

  WeightClaims& claims() { return *claims_; }
  ThreadPool& pool() { return pool_; }

 private:
  ScratchFolder folder_;
  ThreadPool pool_{2};
  Checkpoint checkpoint_;
  std::optional<WeightClaims> claims_;
};

using Values = std::vector<float>;

// Numbers in [-1, 1) that follow no pattern.
inline Values numbers(int64_t count, uint64_t seed = 1) {
  Values values;
  uint64_t state = seed;
  for (int64_t i = 0; i < count; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    values.push_back(static_cast<float>(state >> 40) * 0x1p-23F - 1);
  }
  return values;
}

// Runs a program on the oracle and gives its outputs. Inputs of type i64 take whole numbers.
inline std::map<std::string, Values> run(const Program& program, ThreadPool& pool,
                                         const std::map<std::string, Values>& inputs) {
  auto executor = Executor::compile(program, pool, {}).value();
  for (const auto& [name, values] : inputs) {
    const View view = executor.input(name);
    EXPECT_EQ(view.shape().elements(), static_cast<int64_t>(values.size())) << name;
    if (view.dtype() == DType::i64)
      std::ranges::copy(values, view.flat<int64_t>().begin());
    else
      std::ranges::copy(values, view.flat<float>().begin());
  }
  EXPECT_OK(executor.run());
  std::map<std::string, Values> outputs;
  for (const Program::Named& output : program.outputs) {
    const auto values = executor.output(output.name).flat<float>();
    outputs[output.name] = {values.begin(), values.end()};
  }
  return outputs;
}

inline Values rows(const Values& values, int64_t width, int64_t begin, int64_t end) {
  return {values.begin() + begin * width, values.begin() + end * width};
}

// The nodes of one kind of op in one stage, in order.
template <class Op>
std::vector<Op> ops_of(const Program& program, const std::string& stage) {
  std::vector<Op> found;
  for (const Program::Node& node : program.nodes)
    if (const Op* op = std::get_if<Op>(&node.op); op && program.stages[static_cast<size_t>(node.stage)] == stage)
      found.push_back(*op);
  return found;
}

inline QwenVisionConfig tiny_tower() {
  QwenVisionConfig c;
  c.depth = 4;
  c.hidden_size = 16;
  c.num_heads = 2;
  c.intermediate_size = 20;
  c.out_hidden_size = 12;
  c.num_position_embeddings = 16;
  c.patch_size = 2;
  c.deepstack_visual_indexes = {0, 2};
  return c;
}

inline Qwen3TextConfig tiny_text() {
  Qwen3TextConfig c;
  c.num_hidden_layers = 3;
  c.hidden_size = 12;
  c.num_attention_heads = 4;
  c.num_key_value_heads = 2;
  c.head_dim = 8;
  c.intermediate_size = 20;
  c.vocab_size = 50;
  c.rope_theta = 5e6;
  c.mrope_section = {2, 1, 1};
  c.tie_word_embeddings = true;
  return c;
}

inline Gr00tN17Sizes tiny_n17() {
  Gr00tN17Sizes sizes{.vision = tiny_tower(), .text = tiny_text()};
  sizes.adapter = {.hidden_size = 12, .num_layers = 1, .num_attention_heads = 3, .attention_head_dim = 4};
  sizes.head = {.hidden_size = 10,
                .input_embedding_dim = 18,
                .state_dim = 7,
                .action_dim = 5,
                .action_horizon = 6,
                .max_num_embodiments = 3,
                .max_seq_len = 9,
                .num_inference_timesteps = 4,
                .num_timestep_buckets = 1000,
                .dit = {.num_layers = 7,
                        .num_attention_heads = 3,
                        .attention_head_dim = 6,
                        .output_dim = 10,
                        .cross_attention_dim = 12}};
  return sizes;
}

// `tokens` tokens; those of one picture of h x w merged patches begin at `first`.
inline Layout one_picture(int64_t tokens, int64_t first, const Grid& grid) {
  Layout layout{.grids = {grid}};
  const int64_t h = grid.h / 2, w = grid.w / 2;
  int64_t next = 0;
  for (int64_t token = 0; token < tokens; ++token) {
    const int64_t patch = token - first;
    const bool is_visual = patch >= 0 && patch < h * w;
    if (is_visual) layout.text.visual_rows.push_back(token);
    layout.text.positions[0].push_back(next);
    layout.text.positions[1].push_back(next + (is_visual ? patch / w : 0));
    layout.text.positions[2].push_back(next + (is_visual ? patch % w : 0));
    if (!is_visual) ++next;
    if (is_visual && patch == h * w - 1) next += std::max(h, w);
  }
  return layout;
}

}  // namespace ramet::test
