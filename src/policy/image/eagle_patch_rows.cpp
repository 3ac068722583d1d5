#include "policy/image/eagle_patch_rows.h"

#include "base/assert.h"
#include "policy/image/resample.h"
#include "policy/image/smart_resize.h"

#include <fmt/format.h>

#include <algorithm>

namespace ramet {
namespace {

constexpr int64_t kPatch = kEaglePatchSize;
constexpr int64_t kFactor = 2 * kPatch;  // 2 x 2 patches are one token
constexpr int64_t kMaxSide = 7000;
constexpr PixelBudget kBudget{3136, 3211264};
constexpr int64_t kRow = kPatch * Image::kChannels;  // numbers of one pixel row of a patch

float normalised(uint8_t u) { return (static_cast<float>(u) - 127.5F) / 127.5F; }

Grid patch_grid(const Image& image) { return {1, image.height() / kPatch, image.width() / kPatch}; }

float* write_rows(const Image& image, float* out) {
  const Grid grid = patch_grid(image);
  for (int64_t y = 0; y < grid.h; ++y)
    for (int64_t x = 0; x < grid.w; ++x)
      for (int64_t row = 0; row < kPatch; ++row) {
        const uint8_t* from = image.row(y * kPatch + row) + x * kRow;
        out = std::transform(from, from + kRow, out, normalised);
      }
  return out;
}

// One picture's rows of patches to its three planes.
const float* write_planes(const float* rows, const Grid& grid, float* planes) {
  const int64_t height = grid.h * kPatch, width = grid.w * kPatch;
  for (int64_t y = 0; y < grid.h; ++y)
    for (int64_t x = 0; x < grid.w; ++x)
      for (int64_t i = 0; i < kPatch; ++i)
        for (int64_t j = 0; j < kPatch; ++j)
          for (int64_t c = 0; c < Image::kChannels; ++c)
            planes[(c * height + y * kPatch + i) * width + x * kPatch + j] = *rows++;
  return rows;
}

}  // namespace

Result<Image> eagle_resize(const Image& image) {
  RAMET_TRY(const ImageSize size, smart_resize(image.size(), kFactor, kBudget));
  if (std::max(size.height, size.width) > kMaxSide)
    return fail(Code::invalid_value, "picture", fmt::format("sides of at most {}", kMaxSide), str(size));
  return resize(image, size, Resampler::pillow12_bicubic);
}

Result<PatchRows> eagle_patch_rows(std::span<const Image> images) {
  if (images.empty()) return fail(Code::usage, "pictures", "at least one", "none");
  PatchRows rows;
  std::vector<Image> resized;
  int64_t patches = 0;
  for (const Image& image : images) {
    RAMET_TRY(Image small, eagle_resize(image));
    rows.grids.push_back(patch_grid(small));
    patches += rows.grids.back().patches();
    resized.push_back(std::move(small));
  }
  RAMET_TRY(rows.pixels, Buffer::make(DType::f32, {patches, kPatch * kRow}));
  float* out = rows.pixels.flat<float>().data();
  for (const Image& image : resized) out = write_rows(image, out);
  return rows;
}

Result<Buffer> pixel_planes(ConstView rows, std::span<const Grid> grids) {
  const Grid& grid = grids.front();
  for (const Grid& other : grids) RAMET_ASSERT(other == grid, other.h, other.w);
  const auto count = static_cast<int64_t>(grids.size());
  RAMET_TRY(Buffer planes, Buffer::make(DType::f32, {count, Image::kChannels, grid.h * kPatch, grid.w * kPatch}));
  const float* from = rows.flat<float>().data();
  for (int64_t i = 0; i < count; ++i)
    from = write_planes(from, grid, planes.flat<float>().data() + i * grid.patches() * kPatch * kRow);
  return planes;
}

}  // namespace ramet
