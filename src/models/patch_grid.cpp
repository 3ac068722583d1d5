#include "models/patch_grid.h"

#include "tensor/dtype.h"

#include <algorithm>
#include <cmath>

namespace ramet {
namespace {

// Where index i of an axis with n patches falls on a table axis of `side` entries: the entry below, the one above, and
// the weight of the one above. Multiply before dividing: both ends then hit the table exactly.
struct AxisPosition {
  int64_t floor, ceil;
  float fraction;
};

AxisPosition axis_position(int64_t i, int64_t n, int64_t side) {
  const float position = static_cast<float>(i * (side - 1)) / static_cast<float>(std::max<int64_t>(n - 1, 1));
  const float below = std::floor(position);
  const auto floor = static_cast<int64_t>(below);
  return {floor, std::min(floor + 1, side - 1), position - below};
}

float round_to(RotaryRounding rounding, float value) {
  return rounding == RotaryRounding::bf16 ? bf16_to_f32(f32_to_bf16(value)) : value;
}

void add_angles(RotaryTables& tables, int64_t position, int64_t head_dim, double theta, RotaryRounding rounding) {
  const auto rounded = [&](float value) { return round_to(rounding, value); };
  for (int64_t i = 0; i < head_dim / 4; ++i) {
    const double exponent = -4.0 * static_cast<double>(i) / static_cast<double>(head_dim);
    const float inverse = rounded(static_cast<float>(std::pow(theta, exponent)));
    const float angle = rounded(rounded(static_cast<float>(position)) * inverse);
    tables.cos.push_back(rounded(std::cos(angle)));
    tables.sin.push_back(rounded(std::sin(angle)));
  }
}

}  // namespace

int64_t count_patches(std::span<const Grid> grids) {
  int64_t patches = 0;
  for (const Grid& grid : grids) patches += grid.patches();
  return patches;
}

std::vector<PatchCoordinate> patch_coordinates(std::span<const Grid> grids, int64_t merge) {
  std::vector<PatchCoordinate> patches;
  patches.reserve(static_cast<size_t>(count_patches(grids)));
  for (const Grid& grid : grids)
    for (int64_t frame = 0; frame < grid.t; ++frame)
      for (int64_t block_y = 0; block_y < grid.h; block_y += merge)
        for (int64_t block_x = 0; block_x < grid.w; block_x += merge)
          for (int64_t y = 0; y < merge; ++y)
            for (int64_t x = 0; x < merge; ++x) patches.push_back({block_y + y, block_x + x, grid.h, grid.w});
  return patches;
}

std::vector<ops::AttentionSegment> frame_segments(std::span<const Grid> grids) {
  std::vector<ops::AttentionSegment> segments;
  int64_t begin = 0;
  for (const Grid& grid : grids)
    for (int64_t frame = 0; frame < grid.t; ++frame) {
      const int64_t end = begin + grid.h * grid.w;
      segments.push_back({begin, end, begin, end});
      begin = end;
    }
  return segments;
}

PositionCorners position_corners(std::span<const PatchCoordinate> patches, int64_t side) {
  PositionCorners corners;
  for (const PatchCoordinate& patch : patches) {
    const AxisPosition y = axis_position(patch.y, patch.h, side), x = axis_position(patch.x, patch.w, side);
    const float dy = y.fraction, dx = x.fraction;
    corners.index.insert(corners.index.end(), {y.floor * side + x.floor, y.floor * side + x.ceil,
                                               y.ceil * side + x.floor, y.ceil * side + x.ceil});
    corners.weight.insert(corners.weight.end(), {(1 - dy) * (1 - dx), (1 - dy) * dx, dy * (1 - dx), dy * dx});
  }
  return corners;
}

RotaryTables patch_rotary(std::span<const PatchCoordinate> patches, int64_t head_dim, double theta,
                          RotaryRounding rounding) {
  RotaryTables tables;
  for (const PatchCoordinate& patch : patches) {
    add_angles(tables, patch.y, head_dim, theta, rounding);
    add_angles(tables, patch.x, head_dim, theta, rounding);
  }
  return tables;
}

}  // namespace ramet
