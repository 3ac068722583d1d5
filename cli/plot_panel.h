// One panel of a plot: title, axes with ticks, curves over the steps, legend.
#pragma once

#include "canvas.h"

#include <string>
#include <vector>

namespace ramet::cli {

struct PanelData {
  std::string title;
  std::vector<std::vector<double>> curves = {};  // one per dimension, all over the same steps
};

void draw_panel(Canvas& canvas, const PanelData& data, const Box& box);

}  // namespace ramet::cli
