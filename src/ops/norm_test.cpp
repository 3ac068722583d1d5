#include "ops/norm.h"

#include "ops/testing.h"

#include <numeric>

namespace ramet::ops {
namespace {

constexpr float kNormEps = 1e-5F;

struct Case {
  int64_t rows, cols;
  Buffer all = test::random({rows, cols + 3}, 1, 3.0F);
  Buffer a = test::random({cols}, 2);
  Buffer b = test::random({cols}, 3);

  ConstView x() const { return test::columns(all, 2, cols); }
  std::vector<double> row(int64_t r) const {
    std::vector<double> values;
    for (int64_t c = 0; c < cols; ++c) values.push_back(test::at(x(), {r, c}));
    return values;
  }
};

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::vector<double> scaled_to_unit_power(std::vector<double> x) {
  std::vector<double> squares;
  for (const double value : x) squares.push_back(value * value);
  const double power = mean(squares) + static_cast<double>(kNormEps);
  for (double& value : x) value /= std::sqrt(power);
  return x;
}

std::vector<double> normalized(std::vector<double> x) {
  const double center = mean(x);
  for (double& value : x) value -= center;
  return scaled_to_unit_power(std::move(x));
}

// y = n * factor + offset, where n, the factor, the product and the sum are each rounded once.
template <class Normalize, class Factor, class Offset>
void expect_affine(const Case& c, const std::vector<float>& y, Normalize normalize, Factor factor, Offset offset) {
  for (int64_t r = 0; r < c.rows; ++r) {
    const std::vector<double> n = normalize(c.row(r));
    for (size_t i = 0; i < n.size(); ++i) {
      const double product = n[i] * factor(i);
      ASSERT_NEAR(y[static_cast<size_t>(r * c.cols) + i], product + offset(i),
                  4 * test::kEps * (std::abs(product) + std::abs(offset(i))) + 1e-12)
          << "row " << r << " column " << i;
    }
  }
}

template <class Check>
void sweep(const Check& check) {
  for (const int64_t rows : {1, 2, 41})
    for (const int64_t cols : {1, 15, 16, 17, 48, 1536}) {
      SCOPED_TRACE(testing::Message() << rows << "x" << cols);
      const Case c{rows, cols};
      const auto a = [&c](size_t i) { return static_cast<double>(c.a.flat<float>()[i]); };
      const auto b = [&c](size_t i) { return static_cast<double>(c.b.flat<float>()[i]); };
      check(c, a, b);
    }
}

constexpr auto kZero = [](size_t) { return 0.0; };
constexpr auto kOne = [](size_t) { return 1.0; };

TEST(LayerNorm, MatchesTheFormula) {
  sweep([](const Case& c, auto gamma, auto beta) {
    const LayerNorm op{kNormEps};
    expect_affine(c, test::run(op, {c.x()}), normalized, kOne, kZero);
    expect_affine(c, test::run(op, {c.x(), c.a.view(), c.b.view()}, 2), normalized, gamma, beta);
  });
}

TEST(AdaLayerNorm, MatchesTheFormula) {
  sweep([](const Case& c, auto scale, auto shift) {
    const AdaLayerNorm op{kNormEps};
    const auto factor = [&](size_t i) { return 1.0 + scale(i); };
    expect_affine(c, test::run(op, {c.x(), c.a.view(), c.b.view()}, 2), normalized, factor, shift);
  });
}

TEST(RmsNorm, MatchesTheFormula) {
  sweep([](const Case& c, auto gamma, auto) {
    expect_affine(c, test::run(RmsNorm{kNormEps}, {c.x(), c.a.view()}, 2), scaled_to_unit_power, gamma, kZero);
  });
}

TEST(RmsNorm, TakesTheHeadsOfAFusedProjection) {
  const Buffer rows = test::random({5, 3 * 4 * 8}, 1);
  const Buffer gamma = test::random({8}, 2);
  const ConstView heads(rows.view().bytes() + 32 * 4, DType::f32, {5, 4, 8}, {96, 8, 1});
  const std::vector<float> y = test::run(RmsNorm{kNormEps}, {heads, gamma.view()});
  for (int64_t t = 0; t < 5; ++t) {
    const ConstView one(heads.bytes() + t * 96 * 4, DType::f32, {4, 8});
    EXPECT_TRUE(test::same_bits(test::run(RmsNorm{kNormEps}, {one, gamma.view()}),
                                std::span(y).subspan(static_cast<size_t>(t * 32), 32)));
  }
}

TEST(LayerNorm, LosesNothingToALargeMean) {
  Buffer x = test::random({1, 64}, 1, 32.0F);
  for (float& value : x.flat<float>()) value = std::round(value);
  const std::vector<float> near = test::run(LayerNorm{kNormEps}, {x.view()});
  for (float& value : x.flat<float>()) value += 65536;  // still whole numbers
  const std::vector<float> far = test::run(LayerNorm{kNormEps}, {x.view()});
  for (size_t i = 0; i < far.size(); ++i) EXPECT_NEAR(far[i], near[i], 2 * test::kEps * std::abs(near[i]));
}

TEST(Norm, ThreadsChangeNoBit) {
  const Case c{300, 257};
  test::expect_same_bits_for_any_threads(LayerNorm{kNormEps}, {c.x(), c.a.view(), c.b.view()});
  test::expect_same_bits_for_any_threads(AdaLayerNorm{kNormEps}, {c.x(), c.a.view(), c.b.view()});
  test::expect_same_bits_for_any_threads(RmsNorm{kNormEps}, {c.x(), c.a.view()});
}

TEST(Norm, RefusesVectorsOfAnotherWidth) {
  const Case c{2, 8};
  const Buffer wide = test::random({9}, 1);
  EXPECT_REFUSED(LayerNorm{kNormEps}.output_shape(std::vector<ConstView>{c.x(), c.a.view()}));
  EXPECT_REFUSED(RmsNorm{kNormEps}.output_shape(std::vector<ConstView>{c.x(), wide.view()}));
  EXPECT_REFUSED(AdaLayerNorm{kNormEps}.output_shape(std::vector<ConstView>{c.x(), c.a.view(), wide.view()}));
}

}  // namespace
}  // namespace ramet::ops
