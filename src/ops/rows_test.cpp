#include "ops/rows.h"

#include "ops/testing.h"

namespace ramet::ops {
namespace {

std::vector<float> widened_row(const Buffer& table, int64_t r) {
  std::vector<float> row;
  for (int64_t c = 0; c < table.shape().cols(); ++c) row.push_back(test::at(table.view(), {r, c}));
  return row;
}

TEST(GatherRows, WidensTheSelectedRows) {
  const Buffer index = test::indices({4}, {6, 0, 0, 3});
  for (const DType dtype : {DType::f32, DType::bf16, DType::f16})
    for (const int64_t cols : {1, 17, 300}) {
      const Buffer table = test::random_as(dtype, {7, cols}, 1);
      const std::vector<float> y = test::run(GatherRows{}, {table.view(), index.view()}, 2);
      std::vector<float> expected;
      for (const int64_t r : index.flat<int64_t>())
        std::ranges::copy(widened_row(table, r), std::back_inserter(expected));
      EXPECT_TRUE(test::same_bits(y, expected));
    }
}

TEST(InterpolateRows, WeighsFourCorners) {
  const Buffer index = test::indices({2, 4}, {0, 1, 2, 3, 4, 4, 0, 4});
  const Buffer weights = test::random({2, 4}, 2);
  for (const DType dtype : {DType::f32, DType::bf16, DType::f16})
    for (const int64_t cols : {1, 255, 256, 257, 600}) {
      const Buffer table = test::random_as(dtype, {5, cols}, 1);
      const std::vector<float> y = test::run(InterpolateRows{}, {table.view(), index.view(), weights.view()}, 2);
      for (int64_t i = 0; i < 2; ++i)
        for (int64_t c = 0; c < cols; ++c) {
          double sum = 0, magnitude = 0;
          for (int64_t k = 0; k < 4; ++k) {
            const int64_t row = index.flat<int64_t>()[static_cast<size_t>(4 * i + k)];
            const double term =
                static_cast<double>(test::at(weights.view(), {i, k})) * test::at(table.view(), {row, c});
            sum += term;
            magnitude += std::abs(term);
          }
          EXPECT_NEAR(y[static_cast<size_t>(i * cols + c)], sum, 4 * test::kEps * magnitude);
        }
    }
}

TEST(ScatterRows, ReplacesAndAdds) {
  const Buffer x = test::random({5, 9}, 1);
  const Buffer rows = test::random({2, 9}, 2);
  const Buffer index = test::indices({2}, {4, 1});
  for (const auto mode : {ScatterRows::Mode::replace, ScatterRows::Mode::add}) {
    const std::vector<float> y = test::run(ScatterRows{mode}, {x.view(), rows.view(), index.view()}, 2);
    for (int64_t r = 0; r < 5; ++r)
      for (int64_t c = 0; c < 9; ++c) {
        const float old = test::at(x.view(), {r, c});
        const float row = r == 4 ? test::at(rows.view(), {0, c}) : r == 1 ? test::at(rows.view(), {1, c}) : 0.0F;
        const bool hit = r == 4 || r == 1;
        const float expected = !hit ? old : mode == ScatterRows::Mode::add ? old + row : row;
        EXPECT_EQ(y[static_cast<size_t>(r * 9 + c)], expected);
      }
  }
}

TEST(Concat, JoinsRowsOrColumns) {
  const Buffer a = Buffer::copy_of<float>(DType::f32, {2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6}).value();
  const Buffer b = Buffer::copy_of<float>(DType::f32, {2, 2}, std::vector<float>{7, 8, 9, 10}).value();
  const ConstView left = test::columns(a, 0, 2);
  EXPECT_EQ(test::run(Concat{0}, {left, b.view()}), (std::vector<float>{1, 2, 4, 5, 7, 8, 9, 10}));
  EXPECT_EQ(test::run(Concat{1}, {a.view(), b.view()}), (std::vector<float>{1, 2, 3, 7, 8, 4, 5, 6, 9, 10}));
  EXPECT_EQ(test::run(Concat{1}, {b.view()}), (std::vector<float>{7, 8, 9, 10}));
}

TEST(Rows, ThreadsChangeNoBit) {
  const Buffer x = test::random({500, 70}, 1);
  const Buffer rows = test::random({3, 70}, 2);
  const Buffer index = test::indices({3}, {499, 0, 250});
  test::expect_same_bits_for_any_threads(ScatterRows{ScatterRows::Mode::add}, {x.view(), rows.view(), index.view()});
  test::expect_same_bits_for_any_threads(Concat{1}, {x.view(), x.view()});
  test::expect_same_bits_for_any_threads(GatherRows{}, {x.view(), index.view()});
}

TEST(Rows, RefusesOperandsThatDoNotFit) {
  const Buffer table = test::random({5, 4}, 1);
  const Buffer other = test::random({2, 3}, 1);
  const Buffer index = test::indices({2}, {0, 1});
  EXPECT_REFUSED(GatherRows{}.output_shape(std::vector<ConstView>{table.view(), table.view()}));
  EXPECT_REFUSED(InterpolateRows{}.output_shape(std::vector<ConstView>{table.view(), index.view(), other.view()}));
  EXPECT_REFUSED(ScatterRows{ScatterRows::Mode::add}.output_shape(
      std::vector<ConstView>{table.view(), other.view(), index.view()}));
  EXPECT_REFUSED(Concat{0}.output_shape(std::vector<ConstView>{table.view(), other.view()}));
  EXPECT_REFUSED(Concat{2}.output_shape(std::vector<ConstView>{table.view()}));
}

}  // namespace
}  // namespace ramet::ops
