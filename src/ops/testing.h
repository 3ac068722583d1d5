// Runs ops in tests as an executor does, and watches what they must not do: allocate, or write beside y and scratch.
#pragma once

#include "ops/op.h"
#include "tensor/buffer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "support/allocations.h"
#include "support/assertions.h"

namespace ramet::test {

constexpr double kEps = 0x1p-24;  // half a unit in the last place of float32, relative

Buffer random(const Shape& shape, uint64_t seed, float scale = 1.0F);                  // uniform in +-scale
Buffer random_as(DType dtype, const Shape& shape, uint64_t seed, float scale = 1.0F);  // f32, bf16 or f16
Buffer indices(const Shape& shape, const std::vector<int64_t>& values);

// Columns begin..begin+count of the last dimension: a strided view.
ConstView columns(const Buffer& buffer, int64_t begin, int64_t count);
float at(ConstView view, std::initializer_list<int64_t> position);  // widened

// Memory between guard bytes, `offset` bytes away from the best alignment.
class Guarded {
 public:
  Guarded(int64_t bytes, int64_t offset);
  std::span<std::byte> bytes() { return {memory_.view().bytes() + kGuard + offset_, static_cast<size_t>(bytes_)}; }
  bool intact() const;

 private:
  static constexpr int64_t kGuard = 256;
  int64_t bytes_, offset_;
  Buffer memory_;
};

template <class Op>
int64_t scratch_bytes(const Op& op, ops::Operands in, int threads) {
  if constexpr (requires { op.scratch_bytes(in, threads); }) return op.scratch_bytes(in, threads);
  return 0;
}

template <class Op>
std::vector<float> run(const Op& op, const std::vector<ConstView>& in, int threads = 1) {
  const Shape shape = op.output_shape(in);
  Guarded y(shape.elements() * static_cast<int64_t>(sizeof(float)), sizeof(float));
  Guarded scratch(scratch_bytes(op, in, threads), 0);
  ThreadPool pool(threads);
  Stream stream{pool, scratch.bytes()};
  const int64_t before = allocations();
  op.reference(stream, in, View(y.bytes().data(), DType::f32, shape));
  EXPECT_EQ(allocations(), before);
  EXPECT_TRUE(y.intact());
  EXPECT_TRUE(scratch.intact());
  std::vector<float> result(static_cast<size_t>(shape.elements()));
  std::memcpy(result.data(), y.bytes().data(), y.bytes().size());
  return result;
}

// Bits must agree, signs of zero and NaN included.
testing::AssertionResult same_bits(std::span<const float> a, std::span<const float> b);

template <class Op>
void expect_same_bits_for_any_threads(const Op& op, const std::vector<ConstView>& in) {
  const std::vector<float> one = run(op, in, 1);
  for (const int threads : {2, 3}) EXPECT_TRUE(same_bits(run(op, in, threads), one)) << threads << " threads";
}

}  // namespace ramet::test
