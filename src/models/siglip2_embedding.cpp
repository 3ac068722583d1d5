#include "models/siglip2_embedding.h"

#include "models/layers.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ramet {
namespace {

constexpr size_t kCorners = 4;  // rows that interpolate_rows takes at once

struct Tap {
  int64_t row;
  float weight;
};

std::vector<Tap> patch_taps(const AxisTaps& y, const AxisTaps& x, int64_t side) {
  std::vector<Tap> taps;
  for (size_t i = 0; i < y.weights.size(); ++i)
    for (size_t j = 0; j < x.weights.size(); ++j)
      taps.push_back({(y.first + static_cast<int64_t>(i)) * side + x.first + static_cast<int64_t>(j),
                      static_cast<float>(y.weights[i] * x.weights[j])});
  return taps;
}

std::vector<std::vector<Tap>> all_taps(std::span<const Grid> grids, int64_t side) {
  std::vector<std::vector<Tap>> taps;
  for (const Grid& grid : grids)
    for (int64_t y = 0; y < grid.h; ++y)
      for (int64_t x = 0; x < grid.w; ++x)
        taps.push_back(patch_taps(antialiased_taps(y, side, grid.h), antialiased_taps(x, side, grid.w), side));
  return taps;
}

}  // namespace

AxisTaps antialiased_taps(int64_t o, int64_t side, int64_t target) {
  const double scale = static_cast<double>(side) / static_cast<double>(target);
  const double radius = std::max(scale, 1.0), centre = scale * (static_cast<double>(o) + 0.5);
  AxisTaps taps{.first = std::max<int64_t>(static_cast<int64_t>(centre - radius + 0.5), 0), .weights = {}};
  const int64_t end = std::min(static_cast<int64_t>(centre + radius + 0.5), side);
  for (int64_t j = taps.first; j < end; ++j)
    taps.weights.push_back(std::max(0.0, 1 - std::abs(static_cast<double>(j) - centre + 0.5) / radius));
  const double sum = std::accumulate(taps.weights.begin(), taps.weights.end(), 0.0);
  for (double& weight : taps.weights) weight /= sum;
  return taps;
}

Siglip2Embedding::Siglip2Embedding(const WeightScope& embeddings, const Siglip2EmbeddingConfig& config)
    : config_(config),
      patch_embedding_(claim_linear(embeddings, "patch_embedding", config.patch_width, config.hidden_size)),
      position_embedding_(embeddings.weight("position_embedding.weight",
                                            {config.position_side * config.position_side, config.hidden_size})) {}

// A grid finer than the table needs four rows of it for each patch, a coarser one more: as many sums of four.
Value Siglip2Embedding::record_positions(Recorder& rec, std::span<const Grid> grids) const {
  const std::vector<std::vector<Tap>> taps = all_taps(grids, config_.position_side);
  const size_t most = std::ranges::max(taps, {}, &std::vector<Tap>::size).size();
  const Shape shape{static_cast<int64_t>(taps.size()), static_cast<int64_t>(kCorners)};
  Value sum;
  for (size_t first = 0; first < most; first += kCorners) {
    std::vector<int64_t> index;
    std::vector<float> weights;
    for (const std::vector<Tap>& patch : taps)
      for (size_t i = first; i < first + kCorners; ++i) {
        index.push_back(i < patch.size() ? patch[i].row : 0);
        weights.push_back(i < patch.size() ? patch[i].weight : 0);
      }
    const Value part = rec.interpolate_rows(rec.weight(position_embedding_), rec.index(shape, std::move(index)),
                                            rec.constant(shape, std::move(weights)));
    sum = sum.valid() ? rec.add(sum, part) : part;
  }
  return sum;
}

Value Siglip2Embedding::record(Recorder& rec, Value pixels, std::span<const Grid> grids) const {
  return rec.tap("vision.patch_embed", rec.add(rec.linear(pixels, patch_embedding_), record_positions(rec, grids)));
}

}  // namespace ramet
