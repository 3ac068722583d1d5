// Copies of intermediate results for the caller.
#pragma once

#include "tensor/grid.h"
#include "tensor/view.h"

#include <ramet/types.h>

#include <span>
#include <string>
#include <vector>

namespace ramet {

// The taps a caller asked for, in the order in which they are added.
class TapList {
 public:
  explicit TapList(const std::vector<std::string>& globs) : globs_(&globs) {}

  bool wants(const std::string& name) const;
  void add(const std::string& name, ConstView floats);  // float32, rank 1 or 2, rows may be strided
  void add(const std::string& name, std::vector<int64_t> shape, std::vector<int64_t> integers);
  std::vector<Tap> take() { return std::move(taps_); }

 private:
  const std::vector<std::string>* globs_;
  std::vector<Tap> taps_;
};

// [pictures, 3] under the two names that the goldens have for it: pre.grid and pre.grid_thw.
void tap_grids(TapList& taps, std::span<const Grid> grids);

// A dense copy of a float32 view of rank 1 or more whose last dimensions are contiguous rows.
FloatArray copy_floats(ConstView view);

}  // namespace ramet
