#include "plot.h"

#include "action_columns.h"
#include "plot_panel.h"
#include "text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ramet::cli {
namespace {

constexpr double kPanelWidth = 400, kPanelHeight = 250;
constexpr double kMargin = 14, kTitleHeight = 36;

std::vector<PanelData> panels_of(const Actions& actions) {
  std::vector<PanelData> panels;
  for (const ActionColumn& column : action_columns(actions)) {
    if (column.dim == 0) panels.push_back({.title = printable(column.key, 60)});
    std::vector<double>& curve = panels.back().curves.emplace_back();
    for (int64_t step = 0; step < actions.horizon; ++step) curve.push_back(column.at(step));
  }
  return panels;
}

// The grid is about as wide as it is high, panels being wider than high.
size_t grid_columns(size_t panels) {
  return panels <= 3 ? std::max<size_t>(panels, 1) : static_cast<size_t>(std::ceil(std::sqrt(panels)));
}

}  // namespace

Result<PlotFormat> plot_format(const std::filesystem::path& path) {
  if (path.extension() == ".png") return PlotFormat::png;
  if (path.extension() == ".svg") return PlotFormat::svg;
  return fail(Code::usage, "--plot", "a file that ends in .png or .svg", path.string());
}

Result<std::string> plot(const Actions& actions, PlotFormat format) {
  const std::vector<PanelData> panels = panels_of(actions);
  const size_t columns = grid_columns(panels.size());
  const size_t rows = (panels.size() + columns - 1) / columns;
  const double width = static_cast<double>(columns) * kPanelWidth + 2 * kMargin;
  const double height = static_cast<double>(rows) * kPanelHeight + kTitleHeight + kMargin;
  Canvas canvas(format, width, height);
  canvas.text(fmt::format("{}: actions of the next {} steps", printable(actions.embodiment, 80), actions.horizon),
              {width / 2, kTitleHeight / 2 + 4}, {.size = 15, .anchor = Anchor::centre, .bold = true});
  for (size_t i = 0; i < panels.size(); ++i) {
    const auto row = static_cast<double>(i / columns), column = static_cast<double>(i % columns);
    draw_panel(canvas, panels[i],
               {kMargin + column * kPanelWidth, kTitleHeight + row * kPanelHeight, kPanelWidth, kPanelHeight});
  }
  return canvas.finish();
}

}  // namespace ramet::cli
