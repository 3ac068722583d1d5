// The layout of an observation: everything that decides shapes. One program is recorded for each layout.
#pragma once

#include "models/qwen3_text_model.h"
#include "tensor/grid.h"

#include <vector>

namespace ramet {

struct Layout {
  std::vector<Grid> grids;  // of the pictures, in prompt order
  TextLayout text;
  Frames frames = Frames::repeated;

  friend bool operator==(const Layout&, const Layout&) = default;
};

}  // namespace ramet
