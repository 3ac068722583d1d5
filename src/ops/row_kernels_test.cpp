// The rows of the tuned executor on every instruction set that this machine has: row_norm.h and softmax_row.h.
#include "ops/row_norm.h"
#include "ops/softmax_row.h"
#include "ops/testing.h"

#include <numeric>

namespace ramet::ops {
namespace {

std::vector<Isa> isas() {
  std::vector<Isa> all;
  for (const Isa isa : kIsas)
    if (cpu_features().has(isa)) all.push_back(isa);
  return all;
}

struct NormCase {
  int64_t width;
  RowNorm::Kind kind;
  bool with_scale, with_shift, one_plus_scale;
  Buffer x = test::random({width}, 1, 3.0F), scale = test::random({width}, 2), shift = test::random({width}, 3);

  RowNorm op() const {
    return {.kind = kind,
            .eps = 1e-5F,
            .scale = with_scale ? scale.flat<float>().data() : nullptr,
            .shift = with_shift ? shift.flat<float>().data() : nullptr,
            .one_plus_scale = one_plus_scale};
  }

  void expect_near(std::span<const float> y) const {
    const auto values = x.flat<float>();
    const auto n = static_cast<double>(width);
    double mean = 0, variance = 0, size = 0;
    if (kind == RowNorm::Kind::layer)
      for (const float value : values) mean += value / n;
    for (const float value : values) variance += (value - mean) * (value - mean) / n, size += std::abs(value) / n;
    const double inverse = 1 / std::sqrt(variance + 1e-5);
    for (size_t i = 0; i < y.size(); ++i) {
      const double gain = !with_scale ? 1 : scale.flat<float>()[i] + (one_plus_scale ? 1.0 : 0.0);
      const double added = with_shift ? shift.flat<float>()[i] : 0.0F;
      const double normal = (values[i] - mean) * inverse;
      // The mean and the mean of squares are sums of `width` roundings; the rest is a handful of operations.
      const double rounded = (n + 8) * test::kEps * (std::abs(normal) + size * inverse) * (std::abs(gain) + 1);
      ASSERT_NEAR(y[i], normal * gain + added, rounded + 4 * test::kEps * std::abs(added)) << "column " << i;
    }
  }
};

TEST(RowNormKernels, MatchTheFormula) {
  for (const Isa isa : isas())
    for (const int64_t width : {2, 7, 8, 9, 15, 16, 17, 33, 48, 1536})
      for (const auto kind : {RowNorm::Kind::layer, RowNorm::Kind::rms})
        for (const int parts : {0, 1, 2, 3, 5, 7}) {
          SCOPED_TRACE(testing::Message() << name(isa) << " " << width << " parts " << parts);
          const NormCase c{width, kind, (parts & 1) != 0, (parts & 2) != 0 && kind == RowNorm::Kind::layer,
                           (parts & 4) != 0};
          test::Guarded y(width * 4, 4);
          auto* out = reinterpret_cast<float*>(y.bytes().data());
          normalize_row(isa)(c.op(), c.x.flat<float>().data(), width, out);
          EXPECT_TRUE(y.intact());
          c.expect_near({out, static_cast<size_t>(width)});
        }
}

struct SoftmaxCase {
  int64_t keys, visible, panel_columns;
  float size;
  int64_t panel_stride = 3 * panel_columns;  // three rows; ours is the second
  Buffer scores = test::random({(keys + panel_columns - 1) / panel_columns * panel_stride}, 5, size);

  ScoreRow row() const {
    return {scores.flat<float>().data() + panel_columns, panel_stride, panel_columns, visible, keys, 0.125F};
  }
  double score(int64_t s) const { return row().scores[s / panel_columns * panel_stride + s % panel_columns]; }

  void expect_near(std::span<const float> p, float total) const {
    double top = score(0), sum = 0, spread = 0;
    for (int64_t s = 0; s < visible; ++s) top = std::max(top, score(s));
    for (int64_t s = 0; s < visible; ++s) {
      const double exponent = std::max(-87.0, 0.125 * (score(s) - top)), exact = std::exp(exponent);
      sum += exact, spread = std::max(spread, -exponent);
      // exp is within 2e-7; its argument is a rounded difference times the scale.
      ASSERT_NEAR(p[static_cast<size_t>(s)], exact, (2e-7 + 3 * test::kEps * -exponent) * exact + 1e-38) << "key " << s;
    }
    for (int64_t s = visible; s < keys; ++s) ASSERT_EQ(p[static_cast<size_t>(s)], 0.0F) << "key " << s;
    EXPECT_NEAR(total, sum, (2e-7 + (3 * spread + static_cast<double>(keys)) * test::kEps) * sum);
  }
};

TEST(SoftmaxRowKernels, MatchTheFormula) {
  for (const Isa isa : isas())
    for (const int64_t panel_columns : {16, 32, 64})
      for (const int64_t keys : {1, 5, 16, 17, 32, 41, 64, 65, 200})
        for (const int64_t visible : {int64_t{1}, (keys + 1) / 2, keys})
          for (const float size : {1.0F, 100.0F, 2000.0F}) {
            SCOPED_TRACE(testing::Message() << name(isa) << " " << keys << " keys, " << visible
                                            << " visible, panels of " << panel_columns << ", scores " << size);
            const SoftmaxCase c{keys, visible, panel_columns, size};
            test::Guarded p(keys * 4, 4);
            auto* out = reinterpret_cast<float*>(p.bytes().data());
            const float total = softmax_row(isa)(c.row(), out);
            EXPECT_TRUE(p.intact());
            c.expect_near({out, static_cast<size_t>(keys)}, total);
          }
}

}  // namespace
}  // namespace ramet::ops
