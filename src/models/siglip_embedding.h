// SigLIP's patch embedding: square pictures of one size, a learned position for each patch.
//
//   x[p] = W patch[p] + b + position_embedding[p]       p = (Y, X), row by row; a patch is flattened as (c, y, x)
//
// pixels [pictures, 3, side, side], x [pictures * (side / patch_size)^2, hidden_size].
// Source: spec gr00t-n1.5, section 6.1.
#pragma once

#include "program/recorder.h"
#include "weights/claims.h"

#include <vector>

namespace ramet {

struct SiglipEmbeddingConfig {
  int64_t hidden_size = 0;
  int64_t patch_size = 0;
  int64_t patches_per_side = 0;

  int64_t side() const { return patch_size * patches_per_side; }
  int64_t patches() const { return patches_per_side * patches_per_side; }
};

class SiglipEmbedding {
 public:
  SiglipEmbedding(const WeightScope& embeddings, const SiglipEmbeddingConfig& config);
  Value record(Recorder& rec, Value pixels) const;

  const SiglipEmbeddingConfig& config() const { return config_; }

 private:
  SiglipEmbeddingConfig config_;
  LinearWeights patch_embedding_;  // the kernel [hidden_size, 3, patch_size, patch_size] as a matrix
  Weight position_embedding_;      // [patches, hidden_size]
};

// Of pixels seen as lines of patch_size: where each line of each patch stands, patch by patch, channel by channel.
std::vector<int64_t> patch_lines(int64_t pictures, const SiglipEmbeddingConfig& config);

}  // namespace ramet
