#include "plot.h"

#include "support/assertions.h"

#include <gmock/gmock.h>

namespace ramet::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Plot, TicksAreRoundNumbers) {
  EXPECT_THAT(nice_ticks(0, 10, 5), ElementsAre(0, 2, 4, 6, 8, 10));
  EXPECT_THAT(nice_ticks(-0.6, 1.1, 5), ElementsAre(-0.5, 0, 0.5, 1));
  EXPECT_THAT(nice_ticks(1e6, 3e6, 4), ElementsAre(1e6, 1.5e6, 2e6, 2.5e6, 3e6));
}

TEST(Plot, FormatBySuffix) {
  EXPECT_EQ(plot_format("a.png"), PlotFormat::png);
  EXPECT_EQ(plot_format("a.svg"), PlotFormat::svg);
  EXPECT_CODE(plot_format("a.pdf"), Code::usage);
  EXPECT_CODE(plot_format("png"), Code::usage);
}

Actions actions(int64_t horizon, int64_t dims, float value) {
  Actions result;
  result.horizon = horizon;
  result.keys = {"key"};
  result.actions["key"] = {.shape = {horizon, dims},
                           .values = std::vector<float>(static_cast<size_t>(horizon * dims), value)};
  return result;
}

// One step, constants, hundreds of dimensions, the ends of float32: all of them are pictures.
TEST(Plot, DrawsUnusualActions) {
  for (const Actions& unusual : {actions(1, 1, 0), actions(40, 300, 5), actions(3, 2, 3e38F), actions(3, 2, 1e-38F)}) {
    const Result<std::string> svg = plot(unusual, PlotFormat::svg);
    ASSERT_OK(svg);
    EXPECT_THAT(*svg, HasSubstr("<svg"));
    EXPECT_EQ(svg->find("nan"), std::string::npos);
  }
}

}  // namespace
}  // namespace ramet::cli
