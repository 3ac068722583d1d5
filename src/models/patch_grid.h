// Geometry of the patches of a Qwen3-VL tower: row order, position corners, rotary angles, attention segments.
//
// Rows are in merge-block order: the 2x2 patches of one token follow each other, tokens row by row, frame by frame,
// item by item. Source: spec qwen3-vl, sections 3.2 to 3.6.
#pragma once

#include "models/rotary.h"
#include "ops/attention.h"
#include "tensor/grid.h"

#include <span>
#include <vector>

namespace ramet {

struct PatchCoordinate {
  int64_t y, x;  // inside the frame, in patches
  int64_t h, w;  // of the frame
};

int64_t count_patches(std::span<const Grid> grids);

// One entry per patch row.
std::vector<PatchCoordinate> patch_coordinates(std::span<const Grid> grids, int64_t merge);

// One segment per frame: attention never crosses frames or images.
std::vector<ops::AttentionSegment> frame_segments(std::span<const Grid> grids);

// Bilinear sampling of the learned `side` x `side` table with aligned corners: four table rows and weights per patch.
struct PositionCorners {
  std::vector<int64_t> index;  // [patches, 4]
  std::vector<float> weight;   // [patches, 4]
};
PositionCorners position_corners(std::span<const PatchCoordinate> patches, int64_t side);

// Angles [y * inv | x * inv], inv[i] = theta^(-4i / head_dim), i < head_dim / 4.
// With RotaryRounding::bf16 each of inv, y, x, the angles, cos and sin is rounded to bf16.
RotaryTables patch_rotary(std::span<const PatchCoordinate> patches, int64_t head_dim, double theta,
                          RotaryRounding rounding);

}  // namespace ramet
