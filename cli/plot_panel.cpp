#include "plot_panel.h"

#include "plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace ramet::cli {
namespace {

// Okabe and Ito: told apart by the colour-blind, too.
constexpr std::array kCurveColours{Colour{0.00, 0.45, 0.70}, Colour{0.84, 0.37, 0.00}, Colour{0.00, 0.62, 0.45},
                                   Colour{0.80, 0.47, 0.65}, Colour{0.90, 0.62, 0.00}, Colour{0.34, 0.71, 0.91},
                                   Colour{0.35, 0.35, 0.35}};
constexpr Colour kInk{0.2, 0.2, 0.2}, kGrid{0.9, 0.9, 0.9}, kFrame{0.55, 0.55, 0.55};
constexpr double kLegendWidth = 48, kLegendLine = 14, kLegendDash = 16;
constexpr double kTickSize = 10, kLabelSize = 11, kTitleSize = 12.5;
constexpr double kDotRadius = 1.8;
constexpr size_t kMaxStepsWithDots = 24;

struct Range {
  double low = 0, high = 1;
};

Range with_margin(Range range, double share) {
  const double span = range.high - range.low;
  const double margin = span > 0 ? share * span : std::max(0.05 * std::abs(range.low), 0.5);
  return {range.low - margin, range.high + margin};
}

Range values_range(const PanelData& data) {
  Range range{data.curves.front().front(), data.curves.front().front()};
  for (const auto& curve : data.curves)
    for (const double value : curve) range = {std::min(range.low, value), std::max(range.high, value)};
  return with_margin(range, 0.06);
}

// The frame of the curves and what its corners mean.
struct Axes {
  Box frame;
  Range x, y;

  Point at(double step, double value) const {
    return {frame.left + (step - x.low) / (x.high - x.low) * frame.width,
            frame.bottom() - (value - y.low) / (y.high - y.low) * frame.height};
  }
};

Axes axes_of(const PanelData& data, const Box& box) {
  const double legend = data.curves.size() > 1 ? kLegendWidth : 8;
  const auto last_step = static_cast<double>(data.curves.front().size() - 1);
  return {.frame = {box.left + 62, box.top + 26, box.width - 72 - legend, box.height - 72},
          .x = with_margin({0, last_step}, 0.02),
          .y = values_range(data)};
}

Stroke curve_stroke(size_t dim) {
  return {
      .colour = kCurveColours[dim % kCurveColours.size()], .width = 1.6, .dashed = dim / kCurveColours.size() % 2 == 1};
}

void draw_frame(Canvas& canvas, const Box& frame) {
  const std::array corners{Point{frame.left, frame.top}, Point{frame.left, frame.bottom()},
                           Point{frame.right(), frame.bottom()}};
  canvas.line(corners, {.colour = kFrame});
}

void draw_step_axis(Canvas& canvas, const Axes& axes) {
  for (const double tick : nice_ticks(std::ceil(axes.x.low), axes.x.high, 8)) {
    if (tick != std::floor(tick)) continue;
    const Point low = axes.at(tick, axes.y.low);
    canvas.line(std::array{low, Point{low.x, axes.frame.top}}, {.colour = kGrid});
    canvas.text(fmt::format("{:.0f}", tick), {low.x, low.y + 11},
                {.size = kTickSize, .anchor = Anchor::centre, .colour = kInk});
  }
  canvas.text("future step", {axes.frame.left + axes.frame.width / 2, axes.frame.bottom() + 28},
              {.size = kLabelSize, .anchor = Anchor::centre, .colour = kInk});
}

void draw_value_axis(Canvas& canvas, const Axes& axes, const Box& box) {
  for (const double tick : nice_ticks(axes.y.low, axes.y.high, 5)) {
    const Point left = axes.at(axes.x.low, tick);
    canvas.line(std::array{left, Point{axes.frame.right(), left.y}}, {.colour = kGrid});
    canvas.text(fmt::format("{:.6g}", tick), {left.x - 6, left.y},
                {.size = kTickSize, .anchor = Anchor::right, .colour = kInk});
  }
  canvas.text("robot units", {box.left + 12, axes.frame.top + axes.frame.height / 2},
              {.size = kLabelSize, .anchor = Anchor::centre, .colour = kInk, .upwards = true});
}

void draw_curve(Canvas& canvas, const Axes& axes, const std::vector<double>& curve, const Stroke& stroke) {
  std::vector<Point> points;
  for (size_t step = 0; step < curve.size(); ++step) points.push_back(axes.at(static_cast<double>(step), curve[step]));
  canvas.line(points, stroke);
  if (points.size() > kMaxStepsWithDots) return;
  for (const Point& point : points) canvas.dot(point, kDotRadius, stroke.colour);
}

void draw_legend(Canvas& canvas, const Axes& axes, size_t dims) {
  const auto lines = static_cast<size_t>(axes.frame.height / kLegendLine);
  const size_t shown = dims <= lines ? dims : lines - 1;
  Point at{axes.frame.right() + 10, axes.frame.top + kLegendLine / 2};
  for (size_t dim = 0; dim < shown; ++dim, at.y += kLegendLine) {
    canvas.line(std::array{at, Point{at.x + kLegendDash, at.y}}, curve_stroke(dim));
    canvas.text(fmt::format("[{}]", dim), {at.x + kLegendDash + 5, at.y}, {.size = kTickSize, .colour = kInk});
  }
  if (shown < dims) canvas.text(fmt::format("{} more", dims - shown), at, {.size = kTickSize, .colour = kInk});
}

}  // namespace

std::vector<double> nice_ticks(double low, double high, int wanted) {
  const double rough = (high - low) / wanted;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  const double step = power * (rough < 1.5 * power ? 1 : rough < 3 * power ? 2 : rough < 7 * power ? 5 : 10);
  std::vector<double> ticks;
  for (double index = std::ceil(low / step); index * step <= high; ++index) ticks.push_back(index * step + 0.0);
  return ticks;
}

void draw_panel(Canvas& canvas, const PanelData& data, const Box& box) {
  if (data.curves.empty() || data.curves.front().empty()) return;
  const Axes axes = axes_of(data, box);
  draw_step_axis(canvas, axes);
  draw_value_axis(canvas, axes, box);
  draw_frame(canvas, axes.frame);
  for (size_t dim = 0; dim < data.curves.size(); ++dim) draw_curve(canvas, axes, data.curves[dim], curve_stroke(dim));
  if (data.curves.size() > 1) draw_legend(canvas, axes, data.curves.size());
  canvas.text(data.title, {axes.frame.left + axes.frame.width / 2, box.top + 13},
              {.size = kTitleSize, .anchor = Anchor::centre, .bold = true});
}

}  // namespace ramet::cli
