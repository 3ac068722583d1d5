#include "canvas.h"

#include <cairo-svg.h>

#include <cmath>
#include <numbers>
#include <vector>

namespace ramet::cli {
namespace {

constexpr double kPixelsPerPoint = 2;
constexpr const char* kFont = "sans-serif";

cairo_status_t append(void* text, const unsigned char* bytes, unsigned length) {
  static_cast<std::string*>(text)->append(reinterpret_cast<const char*>(bytes), length);
  return CAIRO_STATUS_SUCCESS;
}

cairo_surface_t* make_surface(PlotFormat format, double width, double height, std::string* svg) {
  if (format == PlotFormat::svg) return cairo_svg_surface_create_for_stream(append, svg, width, height);
  return cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(std::ceil(width * kPixelsPerPoint)),
                                    static_cast<int>(std::ceil(height * kPixelsPerPoint)));
}

void set_colour(cairo_t* context, Colour colour) {
  cairo_set_source_rgb(context, colour.red, colour.green, colour.blue);
}

double shift(Anchor anchor, double width) {
  switch (anchor) {
    case Anchor::left: return 0;
    case Anchor::centre: return -width / 2;
    case Anchor::right: return -width;
  }
  return 0;
}

}  // namespace

Canvas::Canvas(PlotFormat format, double width, double height)
    : format_(format),
      svg_(std::make_unique<std::string>()),
      surface_(make_surface(format, width, height, svg_.get())),
      context_(cairo_create(surface_.get())) {
  if (format == PlotFormat::png) cairo_scale(context_.get(), kPixelsPerPoint, kPixelsPerPoint);
  cairo_set_source_rgb(context_.get(), 1, 1, 1);
  cairo_paint(context_.get());
  cairo_set_line_join(context_.get(), CAIRO_LINE_JOIN_ROUND);
}

void Canvas::line(std::span<const Point> points, const Stroke& stroke) {
  set_colour(context_.get(), stroke.colour);
  cairo_set_line_width(context_.get(), stroke.width);
  const std::vector<double> dashes{4, 3};
  cairo_set_dash(context_.get(), dashes.data(), stroke.dashed ? 2 : 0, 0);
  cairo_new_path(context_.get());
  for (const Point& point : points) cairo_line_to(context_.get(), point.x, point.y);
  cairo_stroke(context_.get());
}

void Canvas::dot(Point centre, double radius, Colour colour) {
  set_colour(context_.get(), colour);
  cairo_new_path(context_.get());
  cairo_arc(context_.get(), centre.x, centre.y, radius, 0, 2 * std::numbers::pi);
  cairo_fill(context_.get());
}

double Canvas::text_width(const std::string& text, double size) {
  cairo_set_font_size(context_.get(), size);
  cairo_text_extents_t extents{};
  cairo_text_extents(context_.get(), text.c_str(), &extents);
  return extents.x_advance;
}

void Canvas::text(const std::string& text, Point at, const TextStyle& style) {
  cairo_select_font_face(context_.get(), kFont, CAIRO_FONT_SLANT_NORMAL,
                         style.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  const double width = text_width(text, style.size);
  cairo_save(context_.get());
  cairo_translate(context_.get(), at.x, at.y);
  if (style.upwards) cairo_rotate(context_.get(), -std::numbers::pi / 2);
  set_colour(context_.get(), style.colour);
  cairo_move_to(context_.get(), shift(style.anchor, width), 0.35 * style.size);
  cairo_show_text(context_.get(), text.c_str());
  cairo_restore(context_.get());
}

Result<std::string> Canvas::finish() {
  std::string png;
  cairo_status_t status = cairo_status(context_.get());
  context_.reset();
  if (status == CAIRO_STATUS_SUCCESS && format_ == PlotFormat::png)
    status = cairo_surface_write_to_png_stream(surface_.get(), append, &png);
  cairo_surface_finish(surface_.get());
  if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_status(surface_.get());
  if (status == CAIRO_STATUS_SUCCESS) return format_ == PlotFormat::png ? png : *svg_;
  return fail(status == CAIRO_STATUS_NO_MEMORY ? Code::no_memory : Code::no_resource, "--plot", "to draw the plot",
              cairo_status_to_string(status));
}

}  // namespace ramet::cli
