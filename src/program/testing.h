// Weights in memory and small programs, for the tests of this layer.
#pragma once

#include "program/program.h"
#include "program/recorder.h"
#include "tensor/buffer.h"

#include <deque>
#include <map>
#include <string>
#include <vector>

namespace ramet::test {

using Values = std::vector<float>;

Values counted(int64_t count);                       // 0, 1, 2, ...
Values random_values(int64_t count, uint64_t seed);  // uniform in [-1, 1)
Values values_of(ConstView view);                    // of float32, strided or not, in the order of the elements
void fill(View view, const Values& values);          // of a dense float32 view
bool same_bits(const Values& a, const Values& b);    // signs of zero and NaN included
Weight as_weight(const Buffer& buffer);              // as a checkpoint would give it
std::vector<std::string> names(const std::vector<Program::Named>& list);

// Weights that live as long as this.
class WeightStore {
 public:
  Weight add(const Shape& shape, const Values& values);
  Weight random(const Shape& shape);
  Weight random_bf16(const Shape& shape);
  LinearWeights linear(int64_t in, int64_t out) { return {random({out, in}), random({out})}; }
  NormWeights norm(int64_t size) { return {random({size}), random({size})}; }
  Buffer& last() { return buffers_.back(); }

 private:
  std::deque<Buffer> buffers_;
};

// y = h + attention(h),  h = x + linear(norm(x)), taps "qkv", "attention" and "sum", in stages "project" and "attend".
constexpr int64_t kTokens = 160, kHidden = 64, kHeads = 4;  // enough for several threads
Program attention_block(WeightStore& weights);

// A program of random ops over random earlier values and windows of them, every value tapped as its number.
Program random_program(uint64_t seed, WeightStore& weights);

// Runs a program once and gives its outputs.
std::map<std::string, Values> run(const Program& program, const std::map<std::string, Values>& inputs);

}  // namespace ramet::test
