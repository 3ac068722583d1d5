#include "models/siglip_embedding.h"

#include "models/layers.h"

namespace ramet {
namespace {

constexpr int64_t kChannels = 3;

}  // namespace

SiglipEmbedding::SiglipEmbedding(const WeightScope& embeddings, const SiglipEmbeddingConfig& config)
    : config_(config),
      position_embedding_(embeddings.weight("position_embedding.weight", {config.patches(), config.hidden_size})) {
  const WeightScope convolution = embeddings.scope("patch_embedding");
  const int64_t hidden = config.hidden_size, patch = config.patch_size;
  patch_embedding_ = {.weight = reshaped(convolution.weight("weight", {hidden, kChannels, patch, patch}),
                                         {hidden, kChannels * patch * patch}),
                      .bias = convolution.weight("bias", {hidden})};
}

std::vector<int64_t> patch_lines(int64_t pictures, const SiglipEmbeddingConfig& config) {
  const int64_t across = config.patches_per_side;
  std::vector<int64_t> lines;
  lines.reserve(static_cast<size_t>(pictures * kChannels * config.side() * across));
  for (int64_t picture = 0; picture < pictures; ++picture)
    for (int64_t row = 0; row < across; ++row)
      for (int64_t column = 0; column < across; ++column)
        for (int64_t c = 0; c < kChannels; ++c)
          for (int64_t y = 0; y < config.patch_size; ++y)
            lines.push_back(((picture * kChannels + c) * config.side() + row * config.patch_size + y) * across +
                            column);
  return lines;
}

Value SiglipEmbedding::record(Recorder& rec, Value pixels) const {
  const int64_t pictures = rec.shape(pixels)[0], patch = config_.patch_size;
  std::vector<int64_t> order = patch_lines(pictures, config_);
  const auto count = static_cast<int64_t>(order.size());
  const Value lines = rec.gather_rows(rec.reshape(pixels, {count, patch}), rec.index({count}, std::move(order)));
  const Value patches = rec.reshape(lines, {pictures * config_.patches(), kChannels * patch * patch});

  std::vector<int64_t> positions;
  for (int64_t p = 0; p < pictures * config_.patches(); ++p) positions.push_back(p % config_.patches());
  const auto rows = static_cast<int64_t>(positions.size());
  const Value position = rec.gather_rows(rec.weight(position_embedding_), rec.index({rows}, std::move(positions)));
  return rec.tap("vision.patch_embed", rec.add(rec.linear(patches, patch_embedding_), position));
}

}  // namespace ramet
