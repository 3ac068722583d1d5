#include "bindings.h"
#include "given_settings.h"

#include <ramet/vision_tower.h>

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <mutex>

namespace ramet::python {
namespace {

// A tower that threads take turns with.
class SharedTower {
 public:
  explicit SharedTower(VisionTower tower) : tower_(std::move(tower)), facts_(tower_.facts()) {}

  Result<Encoding> encode(std::span<const ImageView> images, const EncodeOptions& options) {
    const nb::gil_scoped_release release;  // before the lock: its holder never waits for the GIL
    const std::lock_guard lock(mutex_);
    return tower_.encode(images, options);
  }

  const ExecutionFacts& facts() const { return facts_; }

 private:
  std::mutex mutex_;
  VisionTower tower_;
  ExecutionFacts facts_;  // as opened
};

Result<VisionTower> open_released(const std::string& directory, EngineOptions options) {
  const nb::gil_scoped_release release;
  return VisionTower::open(directory, std::move(options));
}

std::unique_ptr<SharedTower> open(const std::string& directory, const GivenSettings& given,
                                  const std::string& data_dir) {
  const cli::Settings settings =
      resolve({"executor", "precision", "isa", "threads", "backbone", "cache", "quirks"}, directory, given);
  return std::make_unique<SharedTower>(value_of(open_released(directory, engine_options(settings, data_dir))));
}

nb::object to_numpy_grid(const std::vector<std::array<int64_t, 3>>& grid) {
  std::vector<int64_t> values;
  for (const auto& image : grid) values.insert(values.end(), image.begin(), image.end());
  return to_numpy({static_cast<int64_t>(grid.size()), 3}, std::move(values));
}

nb::dict encode(SharedTower& shared, const std::vector<Picture>& pictures, bool video) {
  std::vector<ImageView> images;
  for (const Picture& picture : pictures) images.push_back(view(picture));
  Encoding encoding = value_of(shared.encode(images, {.video = video, .taps = {}}));
  nb::dict arrays;
  arrays["out"] = to_numpy(std::move(encoding.out));
  for (size_t level = 0; level < encoding.deepstack.size(); ++level)
    arrays[("deepstack." + std::to_string(level)).c_str()] = to_numpy(std::move(encoding.deepstack[level]));
  arrays["grid"] = to_numpy_grid(encoding.grid);
  return arrays;
}

}  // namespace

void bind_vision_tower(nb::module_& module) {
  nb::class_<SharedTower>(module, "VisionTower")
      .def("encode", encode, nb::arg("images").noconvert(), nb::arg("video"))
      .def_prop_ro("facts", [](const SharedTower& shared) { return to_dict(shared.facts()); });
  module.def("open_vision_tower", open, nb::arg("directory"), nb::arg("settings"), nb::arg("data_dir"));
}

}  // namespace ramet::python
