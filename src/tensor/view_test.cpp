#include "tensor/view.h"

#include "tensor/buffer.h"

#include <gmock/gmock.h>

#include <numeric>

#include "support/assertions.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;  // huge allocations abort instead of failing
#else
constexpr bool kSanitized = false;
#endif

namespace ramet {
namespace {

using testing::Each;
using testing::ElementsAre;

TEST(Shape, CountsElementsRowsAndColumns) {
  const Shape shape{32, 132, 1024};
  EXPECT_EQ(str(shape), "[32,132,1024]");
  EXPECT_EQ(shape.rank(), 3);
  EXPECT_EQ(shape[0], 32);
  EXPECT_EQ(shape[-2], 132);
  EXPECT_EQ(shape.elements(), 32 * 132 * 1024);
  EXPECT_EQ(shape.rows(), 32 * 132);
  EXPECT_EQ(shape.cols(), 1024);
}

TEST(Shape, ScalarsAndEmptyTensors) {
  EXPECT_EQ(Shape{}.elements(), 1);
  EXPECT_EQ(Shape{}.rows(), 1);
  EXPECT_EQ(str(Shape{}), "[]");
  EXPECT_EQ((Shape{0, 4}.rows()), 0);
  EXPECT_EQ((Shape{4, 0}.rows()), 0);
  EXPECT_EQ((Shape{4, 0}.elements()), 0);
}

TEST(Shape, ComparesRankAndExtents) {
  EXPECT_EQ((Shape{2, 3}), (Shape{2, 3}));
  EXPECT_NE((Shape{2, 3}), (Shape{3, 2}));
  EXPECT_NE((Shape{2}), (Shape{2, 1}));
  EXPECT_NE((Shape{2}), (Shape{2, 0}));
}

TEST(Shape, RefusesWhatCannotBe) {
  EXPECT_REFUSED((Shape{1, 2, 3, 4, 5, 6, 7}));
  EXPECT_REFUSED((Shape{2, -1}));
}

TEST(View, DenseStridesFollowTheShape) {
  EXPECT_THAT(dense_strides({2, 3, 4}), ElementsAre(12, 4, 1, 0, 0, 0));
  EXPECT_THAT(dense_strides({}), Each(0));
}

TEST(View, IsDenseWhereElementsFollowEachOther) {
  EXPECT_TRUE(is_dense({2, 3}, {3, 1}));
  EXPECT_FALSE(is_dense({2, 3}, {4, 1}));
  EXPECT_TRUE(is_dense({1, 3}, {4, 1}));  // columns of a single row
  EXPECT_TRUE(is_dense({2, 1, 3}, {3, 9, 1}));
  EXPECT_FALSE(is_dense({2, 1}, {4, 1}));  // one column of several
}

TEST(View, ReadsThroughStrides) {
  Buffer buffer = Buffer::make(DType::f32, {3, 4}).value();
  std::iota(buffer.flat<float>().begin(), buffer.flat<float>().end(), 0.0F);
  const View right_half(buffer.view().bytes() + 2 * sizeof(float), DType::f32, {3, 2}, {4, 1});
  EXPECT_EQ(right_half.row<float>(0)[0], 2.0F);
  EXPECT_EQ(right_half.row<float>(2)[1], 11.0F);
  EXPECT_EQ(right_half.stride(-2), 4);
  EXPECT_EQ(right_half.size_bytes(), 24);
  const ConstView read_only = right_half;
  EXPECT_EQ(read_only.bytes(), right_half.bytes());
  EXPECT_EQ(read_only.strides(), right_half.strides());
}

TEST(Buffer, StartsAlignedAndZero) {
  for (const int64_t count : {0, 1, 15, 1000}) {
    Buffer buffer = Buffer::make(DType::bf16, {count}).value();
    EXPECT_EQ(buffer.size_bytes(), 2 * count);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer.view().bytes()) % 64, 0U);
    EXPECT_THAT(buffer.flat<uint16_t>(), Each(0));
  }
}

TEST(Buffer, CopiesKeepValuesAndMovesTheAddress) {
  const std::vector<int64_t> values{3, 1, 4, 1, 5, 9};
  Buffer buffer = Buffer::copy_of<int64_t>(DType::i64, {2, 3}, values).value();
  EXPECT_THAT(buffer.flat<int64_t>(), ElementsAre(3, 1, 4, 1, 5, 9));
  const std::byte* address = buffer.view().bytes();
  const Buffer moved = std::move(buffer);
  EXPECT_EQ(moved.view().bytes(), address);
  EXPECT_EQ(moved.shape(), (Shape{2, 3}));
  EXPECT_REFUSED(Buffer::copy_of<int64_t>(DType::i64, {2, 2}, values));
}

TEST(Buffer, SaysWhenMemoryIsShort) {
  if (kSanitized) GTEST_SKIP() << "sanitizers abort on huge allocations";
  EXPECT_CODE(Buffer::make(DType::f32, {int64_t{1} << 50}), Code::no_memory);
}

TEST(Buffer, WidensToFloat32) {
  const std::vector<uint16_t> halves{0x3F80, 0xC000, 0x7F80, 0x0001};
  const Buffer narrow = Buffer::copy_of<uint16_t>(DType::bf16, {2, 2}, halves).value();
  const Buffer wide = to_f32(narrow.view()).value();
  EXPECT_EQ(wide.dtype(), DType::f32);
  EXPECT_EQ(wide.shape(), (Shape{2, 2}));
  EXPECT_THAT(wide.flat<float>(), ElementsAre(1.0F, -2.0F, std::numeric_limits<float>::infinity(), 0x1p-133F));
}

}  // namespace
}  // namespace ramet
