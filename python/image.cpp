#include "bindings.h"

#include <ramet/image.h>

#include <nanobind/stl/string.h>

namespace ramet::python {
namespace {

nb::object load(const std::string& path) {
  Result<RgbImage> image = [&] {
    const nb::gil_scoped_release release;
    return load_image(path);
  }();
  RgbImage picture = value_of(std::move(image));
  return to_numpy({picture.height, picture.width, 3}, std::move(picture.rgb));
}

}  // namespace

void bind_image(nb::module_& module) { module.def("load_image", load, nb::arg("path")); }

}  // namespace ramet::python
