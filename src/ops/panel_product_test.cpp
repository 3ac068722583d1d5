#include "ops/panel_product.h"

#include "ops/testing.h"

#include <hwy/highway.h>

namespace ramet::ops {
namespace {

// Highway runs the given instruction sets only, until the end of the scope.
class OnlyTargets {
 public:
  explicit OnlyTargets(int64_t targets) { choose(targets); }
  ~OnlyTargets() { choose(0); }

 private:
  static void choose(int64_t targets) {
    hwy::SetSupportedTargetsForTest(targets);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
};

std::vector<int64_t> targets() {
  std::vector<int64_t> each;
  for (int64_t left = hwy::SupportedTargets(); left != 0; left &= left - 1) each.push_back(left & -left);
  return each;
}

// What the header promises, element by element.
float promised(const float* x, int64_t x_stride, const float* w, int64_t w_stride, int64_t depth) {
  float total = 0;
  for (int64_t begin = 0; begin < depth; begin += kSumBlock) {
    float sum = 0;
    for (int64_t k = begin; k < std::min(depth, begin + kSumBlock); ++k)
      sum = std::fma(x[k * x_stride], w[k * w_stride], sum);
    total += sum;
  }
  return total;
}

struct Case {
  int64_t rows, depth, count;
  bool k_contiguous;
};

void expect_promised_bits(const Case& c) {
  const int64_t stride = panel_rows();
  const Buffer panel = test::random({c.depth, stride}, 1);
  const Buffer w = test::random({c.count, c.depth}, 2);
  const PanelColumns columns = c.k_contiguous ? PanelColumns{w.flat<float>().data(), c.count, c.depth, 1}
                                              : PanelColumns{w.flat<float>().data(), c.count, 1, c.count};
  Buffer out = Buffer::make(DType::f32, {c.count, stride}).value();
  panel_product(panel.flat<float>().data(), c.rows, c.depth, columns, out.flat<float>().data());
  for (int64_t n = 0; n < c.count; ++n)
    for (int64_t r = 0; r < c.rows; ++r)
      ASSERT_EQ(test::at(out.view(), {n, r}),
                promised(panel.flat<float>().data() + r, stride, columns.w + n * columns.column_stride,
                         columns.k_stride, c.depth))
          << "row " << r << " column " << n;
}

TEST(PanelProduct, EveryInstructionSetGivesThePromisedBits) {
  for (const int64_t target : targets()) {
    const OnlyTargets only(target | HWY_STATIC_TARGET);
    ASSERT_EQ(kMaxPanelRows % panel_rows(), 0);
    for (int64_t rows = 1; rows <= panel_rows(); ++rows)
      for (const int64_t depth : {1, 255, 256, 257, 700}) {
        SCOPED_TRACE(testing::Message() << hwy::TargetName(target) << " rows " << rows << " depth " << depth);
        expect_promised_bits({rows, depth, rows % 13 + 1, depth % 2 == 0});
      }
  }
}

TEST(PanelProduct, AddsToWhatIsThere) {
  const std::vector<float> panel(static_cast<size_t>(panel_rows()), 2.0F);
  std::vector<float> out(panel.size(), 5.0F);
  const float weight = 3.0F;
  panel_product(panel.data(), panel_rows(), 1, {&weight, 1, 1, 1}, out.data());
  EXPECT_EQ(out, std::vector<float>(panel.size(), 11.0F));
}

}  // namespace
}  // namespace ramet::ops
