#include "ops/elementwise.h"

#include "ops/testing.h"

#include <numbers>

namespace ramet::ops {
namespace {

using Kind = Activation::Kind;

double exact(Kind kind, double x) {
  switch (kind) {
    case Kind::gelu_tanh:
      return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
    case Kind::gelu_erf: return 0.5 * x * (1 + std::erf(x / std::numbers::sqrt2));
    case Kind::silu: return x / (1 + std::exp(-x));
    case Kind::relu: return x > 0 ? x : 0;
  }
  return 0;
}

Buffer ramp(const Shape& shape, float low, float high) {
  Buffer buffer = Buffer::make(DType::f32, shape).value();
  const std::span<float> values = buffer.flat<float>();
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = low + (high - low) * static_cast<float>(i) / static_cast<float>(values.size() - 1);
  return buffer;
}

// The argument of tanh carries five roundings, damped by its slope; tanh and erf are good to two units.
TEST(Activation, MatchesTheFormula) {
  const Buffer x = ramp({33, 701}, -30.0F, 30.0F);
  for (const Kind kind : {Kind::gelu_tanh, Kind::gelu_erf, Kind::silu, Kind::relu}) {
    const std::vector<float> y = test::run(Activation{kind}, {x.view()}, 2);
    for (size_t i = 0; i < y.size(); ++i) {
      const double in = x.flat<float>()[i];
      ASSERT_NEAR(y[i], exact(kind, in), 8 * test::kEps * std::abs(in))
          << "kind " << static_cast<int>(kind) << " x " << in;
    }
  }
}

TEST(Activation, ReachesItsLimits) {
  const std::vector<float> far{-1e30F, -200.0F, 0.0F, 200.0F, 1e10F};
  const Buffer x = Buffer::copy_of<float>(DType::f32, {5}, far).value();
  for (const Kind kind : {Kind::gelu_tanh, Kind::gelu_erf, Kind::silu, Kind::relu})
    EXPECT_EQ(test::run(Activation{kind}, {x.view()}), (std::vector<float>{0, 0, 0, 200, 1e10F}));
}

TEST(Elementwise, SumsProductsAndEulerSteps) {
  for (const int64_t cols : {1, 7, 8, 33}) {
    const Buffer a_rows = test::random({9, cols + 2}, 1);
    const Buffer b = test::random({9, cols}, 2);
    const ConstView a = test::columns(a_rows, 1, cols);
    const std::vector<float> sum = test::run(Binary{Binary::Kind::add}, {a, b.view()});
    const std::vector<float> product = test::run(Binary{Binary::Kind::multiply}, {a, b.view()});
    const std::vector<float> step = test::run(AddScaled{0.3F}, {a, b.view()});
    for (int64_t r = 0; r < 9; ++r)
      for (int64_t c = 0; c < cols; ++c) {
        const size_t i = static_cast<size_t>(r * cols + c);
        const volatile float scaled = 0.3F * b.flat<float>()[i];  // rounded, whatever the compiler would like to fuse
        EXPECT_EQ(sum[i], test::at(a, {r, c}) + b.flat<float>()[i]);
        EXPECT_EQ(product[i], test::at(a, {r, c}) * b.flat<float>()[i]);
        EXPECT_EQ(step[i], test::at(a, {r, c}) + scaled);
      }
  }
}

TEST(Widen, IsExact) {
  const Buffer half = test::random_as(DType::bf16, {3, 17}, 1);
  const std::vector<float> y = test::run(Widen{}, {half.view()}, 2);
  for (size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], bf16_to_f32(half.flat<uint16_t>()[i]));
  const Buffer ids = test::indices({2, 2}, {-3, 0, 7, 1 << 20});
  EXPECT_EQ(test::run(Widen{}, {ids.view()}), (std::vector<float>{-3, 0, 7, 1 << 20}));
}

TEST(Elementwise, ThreadsChangeNoBit) {
  const Buffer a = test::random({100, 333}, 1);
  const Buffer b = test::random({100, 333}, 2);
  test::expect_same_bits_for_any_threads(Activation{Kind::gelu_tanh}, {a.view()});
  test::expect_same_bits_for_any_threads(AddScaled{0.25F}, {a.view(), b.view()});
}

TEST(Elementwise, RefusesUnequalShapes) {
  const Buffer a = test::random({2, 3}, 1);
  const Buffer b = test::random({3, 2}, 1);
  const Buffer half = test::random_as(DType::bf16, {2, 3}, 1);
  EXPECT_REFUSED(Binary{Binary::Kind::add}.output_shape(std::vector<ConstView>{a.view(), b.view()}));
  EXPECT_REFUSED(AddScaled{1.0F}.output_shape(std::vector<ConstView>{a.view()}));
  EXPECT_REFUSED(Activation{Kind::relu}.output_shape(std::vector<ConstView>{half.view()}));
}

}  // namespace
}  // namespace ramet::ops
