// From the tower of Eagle 2 to its language model: 2 x 2 patches become one token.
//
//   z[(Y, X)][4 c + 2 i + j] = x[(2 Y + i, 2 X + j)][c]          pixel unshuffle, row by row
//   out = mlp1.3(gelu_erf(mlp1.1(LN(z; mlp1.0))))
//
// x [patches, vision_size], pictures one after the other with even grids; out [patches / 4, hidden_size].
// Source: spec gr00t-n1.6, section 4.3.
#pragma once

#include "program/recorder.h"
#include "tensor/grid.h"
#include "weights/claims.h"

#include <span>
#include <vector>

namespace ramet {

struct EagleConnectorConfig {
  int64_t vision_size = 0;
  int64_t hidden_size = 0;
};

class EagleConnector {
 public:
  EagleConnector(const WeightScope& mlp1, const EagleConnectorConfig& config);
  Value record(Recorder& rec, Value x, std::span<const Grid> grids) const;

 private:
  int64_t vision_size_;
  NormWeights norm_;
  LinearWeights fc1_, fc2_;
};

// Where each number of z stands in x.
std::vector<int64_t> pixel_unshuffle(std::span<const Grid> grids, int64_t channels);

}  // namespace ramet
