// SigLIP2's patch embedding: every picture keeps its own grid, to which the table of positions is resized.
//
//   x[p] = W pixels[p] + b + sum_(y, x) w_gh(Y, y) w_gw(X, x) table[side y + x]          p = (Y, X), row by row
//
// w_m(o, .): bilinear with antialias, corners not aligned. With s = side / m, r = max(s, 1), c = s (o + 0.5):
//
//   w(j) = max(0, 1 - |j - c + 0.5| / r),  trunc(c - r + 0.5) <= j < trunc(c + r + 0.5), divided by their sum
//
// pixels [patches, 3 patch_size^2], x [patches, hidden_size].  Source: spec gr00t-n1.6, section 4.2.
#pragma once

#include "program/recorder.h"
#include "tensor/grid.h"
#include "weights/claims.h"

#include <span>
#include <vector>

namespace ramet {

struct Siglip2EmbeddingConfig {
  int64_t hidden_size = 0;
  int64_t patch_width = 0;    // 3 patch_size^2
  int64_t position_side = 0;  // the table has side^2 rows
};

class Siglip2Embedding {
 public:
  Siglip2Embedding(const WeightScope& embeddings, const Siglip2EmbeddingConfig& config);
  Value record(Recorder& rec, Value pixels, std::span<const Grid> grids) const;

 private:
  Value record_positions(Recorder& rec, std::span<const Grid> grids) const;

  Siglip2EmbeddingConfig config_;
  LinearWeights patch_embedding_;
  Weight position_embedding_;  // [position_side^2, hidden_size]
};

// The entries of a table axis that make entry `o` of an axis resized to `target`.
struct AxisTaps {
  int64_t first = 0;
  std::vector<double> weights;
};
AxisTaps antialiased_taps(int64_t o, int64_t side, int64_t target);

}  // namespace ramet
