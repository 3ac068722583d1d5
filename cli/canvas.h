// A drawing surface: lines and text in points, as a PNG or SVG file in memory. Thin over cairo.
#pragma once

#include <ramet/error.h>

#include <cairo.h>

#include <memory>
#include <span>
#include <string>

namespace ramet::cli {

struct Colour {
  double red = 0, green = 0, blue = 0;
};

struct Point {
  double x = 0, y = 0;
};

struct Box {
  double left = 0, top = 0, width = 0, height = 0;
  double right() const { return left + width; }
  double bottom() const { return top + height; }
};

enum class Anchor { left, centre, right };

struct TextStyle {
  double size = 11;
  Anchor anchor = Anchor::left;
  Colour colour = {};
  bool bold = false;
  bool upwards = false;  // turned by a quarter: reads from below
};

struct Stroke {
  Colour colour = {};
  double width = 1;
  bool dashed = false;
};

enum class PlotFormat { png, svg };

class Canvas {
 public:
  Canvas(PlotFormat format, double width, double height);

  void line(std::span<const Point> points, const Stroke& stroke);
  void dot(Point centre, double radius, Colour colour);
  void text(const std::string& text, Point at, const TextStyle& style);  // at: the middle of the letters' height
  double text_width(const std::string& text, double size);
  Result<std::string> finish();  // the file. Errors: no_resource, no_memory

 private:
  struct Free {
    void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
    void operator()(cairo_t* context) const { cairo_destroy(context); }
  };
  PlotFormat format_;
  std::unique_ptr<std::string> svg_;  // cairo writes into it until the surface is finished
  std::unique_ptr<cairo_surface_t, Free> surface_;
  std::unique_ptr<cairo_t, Free> context_;
};

}  // namespace ramet::cli
