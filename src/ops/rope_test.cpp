#include "ops/rope.h"

#include "ops/testing.h"

namespace ramet::ops {
namespace {

struct Case {
  int64_t tokens, heads, head_dim;
  Buffer rows = test::random({tokens, (heads + 2) * head_dim}, 1);
  Buffer cos = test::random({tokens, head_dim / 2}, 2);
  Buffer sin = test::random({tokens, head_dim / 2}, 3);

  ConstView x() const {  // the heads in the middle of a fused projection
    return {rows.view().bytes() + head_dim * 4,
            DType::f32,
            {tokens, heads, head_dim},
            {rows.view().stride(0), head_dim, 1}};
  }
  std::vector<ConstView> operands() const { return {x(), cos.view(), sin.view()}; }
};

TEST(Rope, TurnsEachPair) {
  for (const int64_t head_dim : {2, 20, 72, 128}) {
    const Case c{5, 3, head_dim};
    const int64_t d = head_dim / 2;
    const std::vector<float> y = test::run(Rope{}, c.operands(), 2);
    for (int64_t t = 0; t < 5; ++t)
      for (int64_t h = 0; h < 3; ++h)
        for (int64_t j = 0; j < d; ++j) {
          const double a = test::at(c.x(), {t, h, j}), b = test::at(c.x(), {t, h, j + d});
          const double cos = test::at(c.cos.view(), {t, j}), sin = test::at(c.sin.view(), {t, j});
          const size_t at = static_cast<size_t>((t * 3 + h) * head_dim + j);
          // Two products and one sum round.
          EXPECT_NEAR(y[at], a * cos - b * sin, 2 * test::kEps * (std::abs(a * cos) + std::abs(b * sin)));
          EXPECT_NEAR(y[at + static_cast<size_t>(d)], b * cos + a * sin,
                      2 * test::kEps * (std::abs(b * cos) + std::abs(a * sin)));
        }
  }
}

TEST(Rope, ThreadsChangeNoBit) { test::expect_same_bits_for_any_threads(Rope{}, Case{300, 4, 72}.operands()); }

TEST(Rope, RefusesTablesThatDoNotFit) {
  const Case c{5, 3, 8};
  const Buffer table = test::random({5, 8}, 1);
  EXPECT_REFUSED(Rope{}.output_shape(std::vector<ConstView>{c.x(), table.view(), table.view()}));
}

}  // namespace
}  // namespace ramet::ops
