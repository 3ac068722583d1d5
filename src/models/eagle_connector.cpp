#include "models/eagle_connector.h"

#include "models/layers.h"
#include "models/patch_grid.h"

namespace ramet {
namespace {

constexpr int64_t kMerge = 2;  // patches of a token along each side
constexpr int64_t kFold = kMerge * kMerge;
constexpr float kEps = 1e-5F;

}  // namespace

EagleConnector::EagleConnector(const WeightScope& mlp1, const EagleConnectorConfig& config)
    : vision_size_(config.vision_size),
      norm_(claim_norm(mlp1, "0", kFold * config.vision_size)),
      fc1_(claim_linear(mlp1, "1", kFold * config.vision_size, config.hidden_size)),
      fc2_(claim_linear(mlp1, "3", config.hidden_size, config.hidden_size)) {}

Value EagleConnector::record(Recorder& rec, Value x, std::span<const Grid> grids) const {
  const std::vector<int64_t> places = pixel_unshuffle(grids, vision_size_);
  const auto count = static_cast<int64_t>(places.size());
  const Value numbers = rec.gather_rows(rec.reshape(x, {count, 1}), rec.index({count}, places));
  const Value z = rec.reshape(numbers, {count_patches(grids) / kFold, kFold * vision_size_});
  const Value u = rec.layer_norm(z, norm_, kEps);
  return rec.tap("vision.out", rec.linear(rec.gelu_erf(rec.linear(u, fc1_)), fc2_));
}

std::vector<int64_t> pixel_unshuffle(std::span<const Grid> grids, int64_t channels) {
  std::vector<int64_t> places;
  places.reserve(static_cast<size_t>(count_patches(grids) * channels));
  int64_t first = 0;
  for (const Grid& grid : grids) {
    for (int64_t y = 0; y < grid.h; y += kMerge)
      for (int64_t x = 0; x < grid.w; x += kMerge)
        for (int64_t c = 0; c < channels; ++c)
          for (int64_t i = 0; i < kMerge; ++i)
            for (int64_t j = 0; j < kMerge; ++j) places.push_back((first + (y + i) * grid.w + x + j) * channels + c);
    first += grid.h * grid.w;
  }
  return places;
}

}  // namespace ramet
