#include "policy/sample_layouts.h"

#include <fmt/format.h>

#include <numeric>

namespace ramet {

NamedLayout sample_layout(std::string name, int64_t pictures, Grid grid, int64_t tokens_each, int64_t text_tokens) {
  const int64_t visual = pictures * tokens_each, tokens = visual + text_tokens;
  NamedLayout sample{.name = std::move(name),
                     .meaning = fmt::format("{} {} of {} x {} patches, {} tokens", pictures,
                                            pictures == 1 ? "picture" : "pictures", grid.h, grid.w, tokens),
                     .layout = {.grids = std::vector<Grid>(static_cast<size_t>(pictures), grid), .text = {}}};
  sample.layout.text.visual_rows.resize(static_cast<size_t>(visual));
  std::iota(sample.layout.text.visual_rows.begin(), sample.layout.text.visual_rows.end(), int64_t{0});
  for (auto& axis : sample.layout.text.positions) {
    axis.resize(static_cast<size_t>(tokens));
    std::iota(axis.begin(), axis.end(), int64_t{0});
  }
  return sample;
}

}  // namespace ramet
