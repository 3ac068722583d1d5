#include "policy/taps.h"

#include "base/glob.h"

#include <algorithm>

namespace ramet {

FloatArray copy_floats(ConstView view) {
  const auto dims = view.shape().dims();
  const int64_t rows = view.shape().rows(), cols = view.shape().cols();
  const int64_t row_stride = view.shape().rank() == 2 ? view.stride(0) : cols;
  RAMET_ASSERT(view.shape().rank() == 2 || view.is_dense(), str(view.shape()));
  FloatArray copy{.shape = {dims.begin(), dims.end()}, .values = {}};
  copy.values.reserve(static_cast<size_t>(rows * cols));
  for (int64_t r = 0; r < rows; ++r) {
    const float* row = view.data<float>() + r * row_stride;
    copy.values.insert(copy.values.end(), row, row + cols);
  }
  return copy;
}

void tap_grids(TapList& taps, std::span<const Grid> grids) {
  std::vector<int64_t> values;
  for (const Grid& grid : grids) values.insert(values.end(), {grid.t, grid.h, grid.w});
  const std::vector<int64_t> shape{static_cast<int64_t>(grids.size()), 3};
  taps.add("pre.grid", shape, values);
  taps.add("pre.grid_thw", shape, values);
}

bool TapList::wants(const std::string& name) const { return matches_any(*globs_, name); }

void TapList::add(const std::string& name, ConstView floats) {
  if (!wants(name)) return;
  FloatArray copy = copy_floats(floats);
  taps_.push_back({.name = name, .shape = std::move(copy.shape), .floats = std::move(copy.values), .integers = {}});
}

void TapList::add(const std::string& name, std::vector<int64_t> shape, std::vector<int64_t> integers) {
  if (wants(name))
    taps_.push_back({.name = name, .shape = std::move(shape), .floats = {}, .integers = std::move(integers)});
}

}  // namespace ramet
