// One suite for all product kernels: those of this machine, and the emulated ones (emulated_kernels.h).
#include "ops/product_kernel.h"

#include "ops/emulated_kernels.h"
#include "ops/int8_scale.h"
#include "ops/operand.h"
#include "ops/testing.h"

#include <limits>
#include <numeric>

namespace ramet::ops {
namespace {

constexpr std::array<int64_t, 11> kRows{1, 5, 6, 7, 16, 17, 31, 33, 41, 48, 100};
constexpr std::array<int64_t, 8> kDepths{1, 15, 32, 33, 64, 100, 300, 1024};
constexpr std::array<int64_t, 8> kColumns{1, 16, 17, 32, 63, 64, 65, 130};

// Rows [num_rows, depth] and weights [kColumns.back(), depth]; tests use the first of them.
struct Data {
  int64_t depth;
  int64_t num_rows = kRows.back();
  Buffer x = test::random({num_rows, depth}, 1);
  Buffer w = test::random({kColumns.back(), depth}, 2);

  const float* row(int64_t r) const { return x.flat<float>().data() + r * depth; }
  const float* column(int64_t c) const { return w.flat<float>().data() + c * depth; }
};

std::vector<const float*> rows_of(const Data& data, int64_t begin, int64_t count) {
  std::vector<const float*> rows;
  for (int64_t r = begin; r < begin + count; ++r) rows.push_back(data.row(r));
  return rows;
}
std::vector<const float*> columns_of(const Data& data, int64_t begin, int64_t count) {
  std::vector<const float*> columns;
  for (int64_t c = begin; c < begin + count; ++c) columns.push_back(data.column(c));
  return columns;
}

// Packed one by one, each between guard bytes that are checked before the bytes are put side by side.
template <class Pack>
Buffer packed(std::span<const float* const> vectors, int64_t group, int64_t bytes, const Pack& pack) {
  const int64_t groups = div_up(static_cast<int64_t>(vectors.size()), group);
  Buffer all = Buffer::make(DType::u8, {groups * bytes}).value();
  for (int64_t g = 0; g < groups; ++g) {
    test::Guarded one(bytes, 0);
    const auto first = static_cast<size_t>(g * group);
    pack(vectors.subspan(first, std::min(static_cast<size_t>(group), vectors.size() - first)), one.bytes().data());
    EXPECT_TRUE(one.intact());
    std::ranges::copy(one.bytes(), all.view().bytes() + g * bytes);
  }
  return all;
}

// y[r][c], row by row
std::vector<float> multiply(const ProductKernel& kernel, std::span<const float* const> rows,
                            std::span<const float* const> columns, int64_t depth) {
  const Buffer tiles = packed(rows, kernel.tile_rows, kernel.tile_bytes(depth),
                              [&](auto some, std::byte* tile) { kernel.pack_tile(some, depth, tile); });
  const Buffer panels = packed(columns, kernel.panel_columns, kernel.panel_bytes(depth),
                               [&](auto some, std::byte* panel) { kernel.pack_panel(some, depth, panel); });
  const auto num_rows = static_cast<int64_t>(rows.size()), num_columns = static_cast<int64_t>(columns.size());
  const int64_t num_tiles = div_up(num_rows, kernel.tile_rows), num_panels = div_up(num_columns, kernel.panel_columns);
  const int64_t panel_floats = num_tiles * kernel.tile_rows * kernel.panel_columns;
  test::Guarded scratch(kernel.scratch_bytes(depth), 0), sums(num_panels * panel_floats * 4, 0);
  auto* out = reinterpret_cast<float*>(sums.bytes().data());
  kernel.multiply({tiles.view().bytes(), num_tiles, panels.view().bytes(), num_panels, depth}, scratch.bytes().data(),
                  out);
  EXPECT_TRUE(scratch.intact());
  EXPECT_TRUE(sums.intact());
  std::vector<float> y;
  for (int64_t r = 0; r < num_rows; ++r)
    for (int64_t c = 0; c < num_columns; ++c)
      y.push_back(out[c / kernel.panel_columns * panel_floats + r * kernel.panel_columns + c % kernel.panel_columns]);
  return y;
}

// Sum of products, and what bounds its error.
struct Exact {
  double sum = 0, magnitude = 0;  // magnitude: sum of |x w|

  Exact(const float* x, const float* w, int64_t depth) {
    for (int64_t k = 0; k < depth; ++k) {
      const double term = static_cast<double>(x[k]) * w[k];
      sum += term;
      magnitude += std::abs(term);
    }
  }
};

struct Vector {
  double sum = 0, top = 0;  // of |x|

  Vector(const float* x, int64_t depth) {
    for (int64_t k = 0; k < depth; ++k) sum += std::abs(x[k]), top = std::max(top, static_cast<double>(std::abs(x[k])));
  }
};

// What rounding of rows and weights may change in a sum of products.
double rounding(const ProductKernel& kernel, const Exact& exact, const Vector& x, const Vector& w, int64_t depth) {
  switch (kernel.precision) {
    case Precision::fp32: return kernel.exact_rows ? 0 : 1.02 * 0x1p-15 * exact.magnitude;
    case Precision::bf16: return (kernel.exact_rows ? 0x1p-8 : 0x1p-7 + 0x1p-16) * exact.magnitude;
    case Precision::int8: {  // half a step of either, and both; the division that finds an integer is rounded
      const double dx = 0.5001 * x.top / kInt8Top, dw = 0.5001 * w.top / kInt8Top;
      return dx * w.sum + dw * x.sum + dx * dw * static_cast<double>(depth);
    }
  }
  return 0;
}

class KernelTest : public testing::TestWithParam<const ProductKernel*> {
 protected:
  void SetUp() override {
    if (!cpu_features().has(kernel().isa) || !kernel().runs_on(cpu_features()))
      GTEST_SKIP() << "this machine lacks " << kernel().name;
  }
  const ProductKernel& kernel() const { return *GetParam(); }
};

// The products of the first rows and columns, and how far from them a kernel may be.
struct Expected {
  int64_t columns;
  std::vector<double> sums, bounds;

  Expected(const ProductKernel& kernel, const Data& data, int64_t num_rows, int64_t num_columns)
      : columns(num_columns) {
    for (int64_t r = 0; r < num_rows; ++r)
      for (int64_t c = 0; c < columns; ++c) {
        const Exact exact(data.row(r), data.column(c), data.depth);
        // At most three roundings for each product, padded ones included, and two scales.
        const double summing = static_cast<double>(3 * (data.depth + 64) + 8) * test::kEps * exact.magnitude;
        sums.push_back(exact.sum);
        bounds.push_back(summing + rounding(kernel, exact, Vector(data.row(r), data.depth),
                                            Vector(data.column(c), data.depth), data.depth));
      }
  }

  void expect_near(const ProductKernel& kernel, const Data& data, int64_t num_rows, int64_t num_columns) const {
    SCOPED_TRACE(testing::Message() << kernel.name << " " << num_rows << " x " << data.depth << " x " << num_columns);
    const auto y = multiply(kernel, rows_of(data, 0, num_rows), columns_of(data, 0, num_columns), data.depth);
    for (int64_t r = 0; r < num_rows; ++r)
      for (int64_t c = 0; c < num_columns; ++c) {
        const auto at = static_cast<size_t>(r * columns + c);
        ASSERT_NEAR(y[static_cast<size_t>(r * num_columns + c)], sums[at], bounds[at])
            << "row " << r << " column " << c;
      }
  }
};

TEST_P(KernelTest, StaysWithinItsRounding) {
  for (const int64_t depth : kDepths) {
    const Data data{depth};
    const Expected expected(kernel(), data, kRows.back(), kColumns.back());
    for (const int64_t rows : kRows)
      for (const int64_t columns : kColumns) expected.expect_near(kernel(), data, rows, columns);
  }
}

TEST_P(KernelTest, PacksRowsOfTheDepthLikeColumns) {
  if (kernel().pack_panel_rows == nullptr) return;
  for (const int64_t depth : {1, 30, 64, 77})
    for (const int64_t columns : {int64_t{1}, int64_t{17}, kernel().panel_columns}) {
      const Buffer rows = test::random({depth, columns + 3}, 5);
      std::vector<float> turned;
      std::vector<const float*> pointers;
      for (int64_t c = 0; c < columns; ++c)
        for (int64_t k = 0; k < depth; ++k) turned.push_back(test::at(rows.view(), {k, c}));
      for (int64_t c = 0; c < columns; ++c) pointers.push_back(turned.data() + c * depth);
      test::Guarded a(kernel().panel_bytes(depth), 0), b(kernel().panel_bytes(depth), 0);
      kernel().pack_panel_rows(rows.flat<float>().data(), columns + 3, columns, depth, a.bytes().data());
      kernel().pack_panel(pointers, depth, b.bytes().data());
      EXPECT_TRUE(a.intact());
      EXPECT_TRUE(std::ranges::equal(a.bytes(), b.bytes())) << depth << " x " << columns;
    }
}

// Handed over one after the other or all at once: the same sums.
TEST_P(KernelTest, HandsOverTheSumsOfMultiply) {
  constexpr int64_t kNumColumns = kColumns.back();
  // amx: three tiles in one pass; tiles that stay in the second-level cache; slices of the depth that do
  constexpr std::array<std::pair<int64_t, int64_t>, 5> kShapes{
      {{40, 48}, {40, 70}, {1100, 48}, {1100, 70}, {1100, 700}}};
  for (const auto& shape : kShapes) {
    const int64_t depth = shape.first, num_rows = shape.second;
    const Data data{depth, num_rows};
    const int64_t num_tiles = div_up(num_rows, kernel().tile_rows), rows = num_tiles * kernel().tile_rows;
    const int64_t num_panels = div_up(kNumColumns, kernel().panel_columns), columns = kernel().panel_columns;
    const Buffer tiles = packed(rows_of(data, 0, num_rows), kernel().tile_rows, kernel().tile_bytes(depth),
                                [&](auto some, std::byte* tile) { kernel().pack_tile(some, depth, tile); });
    const Buffer panels = packed(columns_of(data, 0, kNumColumns), columns, kernel().panel_bytes(depth),
                                 [&](auto some, std::byte* panel) { kernel().pack_panel(some, depth, panel); });
    const ProductBlock block{tiles.view().bytes(), num_tiles, panels.view().bytes(), num_panels, depth};
    test::Guarded scratch(kernel().scratch_bytes(depth), 0), sums(num_panels * rows * columns * 4, 0);
    auto* work = reinterpret_cast<float*>(sums.bytes().data());
    kernel().multiply(block, scratch.bytes().data(), work);
    const std::vector<float> expected(work, work + num_panels * rows * columns);
    struct Taken {
      int64_t rows, columns;
      std::vector<float> sums;
    } taken{rows, columns, std::vector<float>(expected.size(), -1.0F)};
    const TakeSums take{[](const void* context, int64_t panel, int64_t first, int64_t count, const float* some) {
                          auto& t = *static_cast<Taken*>(const_cast<void*>(context));
                          std::copy_n(some, count * t.columns, t.sums.data() + (panel * t.rows + first) * t.columns);
                        },
                        &taken};
    multiply_for(kernel(), block, scratch.bytes().data(), work, take);
    EXPECT_TRUE(sums.intact());
    EXPECT_TRUE(test::same_bits(taken.sums, expected)) << depth << " x " << num_rows;
  }
}

TEST_P(KernelTest, AddsManyPiecesOfTheDepth) {
  const Data data{4300};
  Expected(kernel(), data, 33, 65).expect_near(kernel(), data, 33, 65);
}

// Rounding errors of many products are independent: a mean that is no better than the bound is a mistake.
TEST_P(KernelTest, IsAsExactAsItsFormatOnAverage) {
  const Data data{1024};
  const auto y = multiply(kernel(), rows_of(data, 0, 41), columns_of(data, 0, 64), data.depth);
  double error = 0, size = 0;
  for (int64_t r = 0; r < 41; ++r)
    for (int64_t c = 0; c < 64; ++c) {
      const Exact exact(data.row(r), data.column(c), data.depth);
      error += std::pow(y[static_cast<size_t>(r * 64 + c)] - exact.sum, 2), size += exact.sum * exact.sum;
    }
  // Errors are uniform within half a step, so their root mean square is half a step / sqrt(3): for bf16 2^-8 of the
  // power of two below a value, 0.7 of it on average, for int8 1 / 254 of the largest, 1.7 times the root mean square
  // of values. Times sqrt(2) for two operands: 2.2e-3 and 5.6e-3. fp32: 2^-16 likewise.
  const double most = kernel().precision == Precision::fp32   ? 5e-6
                      : kernel().precision == Precision::bf16 ? 2.3e-3
                                                              : 5.9e-3;
  EXPECT_LT(std::sqrt(error / size), most);
}

TEST_P(KernelTest, RowsDoNotSeeEachOther) {
  for (const int64_t depth : {33, 300, 1024}) {
    const Data data{depth};
    const auto columns = columns_of(data, 0, 130);
    const auto together = multiply(kernel(), rows_of(data, 0, 100), columns, depth);
    for (const int64_t count : {1, 5, 17, 48})
      for (int64_t first = 0; first + count <= 100; first += 37) {
        const auto alone = multiply(kernel(), rows_of(data, first, count), columns, depth);
        const std::span same(together.data() + first * 130, alone.size());
        EXPECT_TRUE(test::same_bits(alone, same)) << "rows " << first << " to " << first + count << " of " << depth;
      }
  }
}

TEST_P(KernelTest, PanelsDoNotSeeEachOther) {
  const Data data{300};
  const auto together = multiply(kernel(), rows_of(data, 0, 41), columns_of(data, 0, 130), data.depth);
  for (const int64_t first : {0, 1, 64, 129}) {
    const auto alone = multiply(kernel(), rows_of(data, 0, 41), columns_of(data, first, 1), data.depth);
    for (size_t r = 0; r < 41; ++r)
      EXPECT_TRUE(test::same_bits({&alone[r], 1}, {&together[r * 130 + static_cast<size_t>(first)], 1}));
  }
}

// More rows than stay in a cache: their depth is cut into slices, and no bit changes.
TEST_P(KernelTest, SlicesOfTheDepthChangeNoBit) {
  constexpr int64_t kMany = 700, kDepth = 1000;
  const Buffer x = test::random({kMany, kDepth}, 3);
  const Data data{kDepth};
  std::vector<const float*> rows;
  for (int64_t r = 0; r < kMany; ++r) rows.push_back(x.flat<float>().data() + r * kDepth);
  const auto columns = columns_of(data, 0, kernel().panel_columns + 1);
  const auto together = multiply(kernel(), rows, columns, kDepth);
  for (const size_t first : {0, 333, 699}) {
    const auto alone = multiply(kernel(), std::span(rows).subspan(first, 1), columns, kDepth);
    EXPECT_TRUE(test::same_bits(alone, {together.data() + first * columns.size(), columns.size()})) << "row " << first;
  }
}

TEST_P(KernelTest, WhatIsNotFiniteReachesItsRowAndItsColumn) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const float strange : {std::numeric_limits<float>::quiet_NaN(), kInfinity, -kInfinity})
    for (const int64_t at : {0, 40, 99}) {
      Data data{100};
      data.x.flat<float>()[static_cast<size_t>(3 * 100 + at)] = strange;
      data.w.flat<float>()[static_cast<size_t>(60 * 100 + at)] = strange;
      const auto y = multiply(kernel(), rows_of(data, 0, 33), columns_of(data, 0, 65), 100);
      for (int64_t r = 0; r < 33; ++r)
        for (int64_t c = 0; c < 65; ++c)
          ASSERT_EQ(std::isfinite(y[static_cast<size_t>(r * 65 + c)]), r != 3 && c != 60)
              << strange << " at " << at << ": row " << r << " column " << c;
    }
}

TEST_P(KernelTest, ZerosStayZero) {
  Data data{100};
  std::ranges::fill(data.x.flat<float>().subspan(0, 100), 0.0F);
  std::ranges::fill(data.w.flat<float>().subspan(0, 100), 0.0F);
  const auto y = multiply(kernel(), rows_of(data, 0, 7), columns_of(data, 0, 65), 100);
  for (size_t c = 0; c < 65; ++c) EXPECT_EQ(y[c], 0.0F);
  for (size_t r = 0; r < 7; ++r) EXPECT_EQ(y[r * 65], 0.0F);
}

// Integers at their largest: the sum must not leave int32, nor the offset of unsigned rows lose anything.
TEST_P(KernelTest, LargestValuesDoNotOverflow) {
  for (const float sign : {1.0F, -1.0F}) {
    constexpr int64_t kDepth = 200'000;
    const std::vector<float> x(kDepth, 3.0F), w(kDepth, 5.0F * sign);
    const std::array<const float*, 1> row{x.data()}, column{w.data()};
    const double exact = 15.0 * kDepth * static_cast<double>(sign);
    // Sums of equal terms in one chain: float32 loses 2^-24 of the sum at each of them, in the worst case.
    EXPECT_NEAR(multiply(kernel(), row, column, kDepth)[0] / exact, 1.0, 0.02);
  }
}

std::vector<const ProductKernel*> all_kernels() {
  std::vector<const ProductKernel*> all(product_kernels().begin(), product_kernels().end());
  const auto emulated = test::emulated_product_kernels();
  all.insert(all.end(), emulated.begin(), emulated.end());
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, KernelTest, testing::ValuesIn(all_kernels()), [](const auto& kernel) {
  std::string name(kernel.param->name);
  std::ranges::replace(name, '.', '_');
  return name;
});

TEST(ProductKernels, AreNamedOnceAndTheBestFirst) {
  std::vector<std::string_view> names;
  for (const ProductKernel* kernel : product_kernels()) names.push_back(kernel->name);
  std::ranges::sort(names);
  EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
  EXPECT_TRUE(std::ranges::is_sorted(product_kernels(), std::greater{}, &ProductKernel::isa));
}

TEST(ProductKernels, ChoiceStaysWithinTheLimit) {
  for (const Precision precision : {Precision::fp32, Precision::bf16, Precision::int8})
    for (const Isa limit : kIsas) {
      const ProductKernel& kernel = choose_product_kernel(precision, DType::bf16, limit);
      EXPECT_LE(kernel.isa, limit);
      EXPECT_TRUE(cpu_features().has(kernel.isa));
      EXPECT_TRUE(kernel.serves(precision, DType::bf16));
    }
}

}  // namespace
}  // namespace ramet::ops
