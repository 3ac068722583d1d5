// Layouts by name, for benchmarks: what an observation of so many pictures comes to, without the observation.
#pragma once

#include "models/layout.h"

#include <string>
#include <vector>

namespace ramet {

struct NamedLayout {
  std::string name;
  std::string meaning;  // for help: "4 pictures of 16 x 28 patches, 480 tokens"
  Layout layout;
};

// Pictures of `grid`, each standing for `tokens_each` tokens in front of `text_tokens` others.
NamedLayout sample_layout(std::string name, int64_t pictures, Grid grid, int64_t tokens_each, int64_t text_tokens);

}  // namespace ramet
