#include "ops/linear.h"

#include "ops/testing.h"

namespace ramet::ops {
namespace {

using Layout = Linear::Layout;

struct Case {
  int64_t rows, in, out;
  Layout layout = Layout::out_in;
  DType dtype = DType::bf16;
  bool with_bias = true;

  Buffer x = test::random({rows, in + 5}, 1);
  Buffer w = test::random_as(dtype, layout == Layout::out_in ? Shape{out, in} : Shape{in, out}, 2);
  Buffer b = test::random({out}, 3);

  Linear op() const { return {layout}; }
  std::vector<ConstView> operands() const {
    std::vector<ConstView> in_views{test::columns(x, 3, in), w.view()};
    if (with_bias) in_views.emplace_back(b.view());
    return in_views;
  }
  // W as [out, in], whatever its layout and type.
  std::vector<float> weights() const {
    std::vector<float> wide(static_cast<size_t>(in * out)), turned(wide.size());
    widen(dtype, w.view().bytes(), wide);
    if (layout == Layout::out_in) return wide;
    for (int64_t n = 0; n < out; ++n)
      for (int64_t k = 0; k < in; ++k) turned[static_cast<size_t>(n * in + k)] = wide[static_cast<size_t>(k * out + n)];
    return turned;
  }
  const float* row(int64_t r) const { return x.flat<float>().data() + r * (in + 5) + 3; }
  float b_at(int64_t n) const { return with_bias ? b.flat<float>()[static_cast<size_t>(n)] : 0.0F; }
};

// The order of the header.
float promised(const Case& c, const float* x, const float* w, int64_t n) {
  float total = 0;
  for (int64_t begin = 0; begin < c.in; begin += kLinearBlock) {
    float sum = 0;
    for (int64_t k = begin; k < std::min(c.in, begin + kLinearBlock); ++k) sum = std::fma(x[k], w[k], sum);
    total += sum;
  }
  return c.with_bias ? total + c.b_at(n) : total;
}

void expect_promised_bits(const Case& c) {
  const std::vector<float> w = c.weights();
  const std::vector<float> y = test::run(c.op(), c.operands(), 2);
  for (int64_t r = 0; r < c.rows; ++r)
    for (int64_t n = 0; n < c.out; ++n)
      ASSERT_EQ(y[static_cast<size_t>(r * c.out + n)], promised(c, c.row(r), w.data() + n * c.in, n))
          << "row " << r << " column " << n;
}

TEST(Linear, SumsInThePromisedOrder) {
  constexpr std::array kDTypes{DType::f32, DType::bf16, DType::f16};
  size_t turn = 0;
  for (const int64_t rows : {1, 8, 23, 25, 49})
    for (const int64_t in : {1, 255, 256, 257, 520})
      for (const int64_t out : {1, 4, 15, 17, 65}) {
        SCOPED_TRACE(testing::Message() << rows << "x" << in << "x" << out << " turn " << turn);
        const Layout layout = turn % 2 == 0 ? Layout::out_in : Layout::in_out;
        expect_promised_bits({rows, in, out, layout, kDTypes[turn % 3], turn % 5 != 0});
        ++turn;
      }
}

TEST(Linear, StaysNearTheExactSum) {
  for (const Layout layout : {Layout::out_in, Layout::in_out}) {
    const Case c{41, 6144, 20, layout};
    const std::vector<float> y = test::run(c.op(), c.operands());
    const std::vector<float> w = c.weights();
    for (int64_t r = 0; r < c.rows; ++r)
      for (int64_t n = 0; n < c.out; ++n) {
        double exact = c.b_at(n);
        double magnitude = std::abs(exact);
        for (int64_t k = 0; k < c.in; ++k) {
          const double term = static_cast<double>(c.row(r)[k]) * w[static_cast<size_t>(n * c.in + k)];
          exact += term;
          magnitude += std::abs(term);
        }
        // A term passes through at most one block, all block sums and the bias.
        const double roundings = kLinearBlock + static_cast<double>(c.in / kLinearBlock) + 2;
        EXPECT_NEAR(y[static_cast<size_t>(r * c.out + n)], exact, roundings * test::kEps * magnitude);
      }
  }
}

TEST(Linear, ThreadsChangeNoBit) {
  for (const Layout layout : {Layout::out_in, Layout::in_out}) {
    const Case c{90, 700, 200, layout};
    test::expect_same_bits_for_any_threads(c.op(), c.operands());
  }
}

TEST(Linear, RowsDoNotSeeEachOther) {
  const Case all{800, 300, 9};  // more rows than are packed at a time
  const std::vector<float> y = test::run(all.op(), all.operands(), 2);
  for (const int64_t r : {0, 5, 24, 767, 768, 799}) {
    std::vector<ConstView> one = all.operands();
    one[0] = ConstView(one[0].bytes() + r * one[0].stride(0) * 4, DType::f32, {1, all.in});
    EXPECT_TRUE(test::same_bits(test::run(all.op(), one), std::span(y).subspan(static_cast<size_t>(r * all.out), 9)));
  }
}

TEST(Linear, TakesAnyRank) {
  const Case c{6, 20, 3};
  const std::vector<float> matrix = test::run(c.op(), c.operands());
  std::vector<ConstView> cube = c.operands();
  cube[0] = ConstView(cube[0].bytes(), DType::f32, {2, 3, 20}, {3 * 25, 25, 1});
  EXPECT_EQ(c.op().output_shape(cube), (Shape{2, 3, 3}));
  EXPECT_TRUE(test::same_bits(test::run(c.op(), cube), matrix));
  cube[0] = ConstView(cube[0].bytes(), DType::f32, {20});
  EXPECT_EQ(c.op().output_shape(cube), Shape{3});
  EXPECT_TRUE(test::same_bits(test::run(c.op(), cube), std::span(matrix).first(3)));
}

TEST(Linear, RefusesOperandsThatDoNotFit) {
  const Case c{2, 8, 4};
  const Buffer other = test::random({3}, 1);
  EXPECT_REFUSED(c.op().output_shape(std::vector<ConstView>{c.x.view(), c.w.view()}));
  EXPECT_REFUSED(c.op().output_shape(std::vector<ConstView>{c.operands()[0], c.w.view(), other.view()}));
  EXPECT_REFUSED(c.op().output_shape(std::vector<ConstView>{c.operands()[0]}));
}

}  // namespace
}  // namespace ramet::ops
