#include "policy/image/patch_rows.h"

#include "policy/image/resample.h"

#include <fmt/format.h>

#include <algorithm>

namespace ramet {
namespace {

Resampler resampler(const QwenImageProcessorConfig& config) {
  const bool bicubic = config.resample == ResizeFilter::bicubic;
  if (config.backend == ProcessorBackend::pillow)
    return bicubic ? Resampler::pillow_bicubic : Resampler::pillow_bilinear;
  return bicubic ? Resampler::torch_bicubic : Resampler::torch_bilinear;
}

Grid patch_grid(int64_t groups, ImageSize size, const QwenImageProcessorConfig& config) {
  return {groups, size.height / config.patch_size, size.width / config.patch_size};
}

// Writes the rows of resized frames, one group after the other.
class RowWriter {
 public:
  RowWriter(const QwenImageProcessorConfig& config, Buffer& pixels)
      : config_(config), out_(pixels.flat<float>().data()) {
    for (size_t c = 0; c < tables_.size(); ++c) tables_[c] = normalised_bytes(config, c);
  }

  // Frame k of the group is frames[min(k, last)].
  void write_group(std::span<const Image> frames) {
    const int64_t merge = config_.merge_size;
    const Grid grid = patch_grid(1, frames.front().size(), config_);
    for (int64_t window_y = 0; window_y < grid.h; window_y += merge)
      for (int64_t window_x = 0; window_x < grid.w; window_x += merge)
        for (int64_t y = window_y; y < window_y + merge; ++y)
          for (int64_t x = window_x; x < window_x + merge; ++x) write_patch(frames, y, x);
  }

 private:
  void write_patch(std::span<const Image> frames, int64_t patch_y, int64_t patch_x) {
    const int64_t p = config_.patch_size;
    for (size_t c = 0; c < tables_.size(); ++c)
      for (int64_t f = 0; f < config_.temporal_patch_size; ++f) {
        const Image& frame = frames[std::min(static_cast<size_t>(f), frames.size() - 1)];
        for (int64_t y = 0; y < p; ++y) {
          const uint8_t* from = frame.row(patch_y * p + y) + 3 * patch_x * p + c;
          for (int64_t x = 0; x < p; ++x) *out_++ = tables_[c][from[3 * x]];
        }
      }
  }

  const QwenImageProcessorConfig& config_;
  float* out_;
  std::array<ByteTable, 3> tables_;
};

Result<Buffer> make_rows(const std::vector<Grid>& grids, const QwenImageProcessorConfig& config) {
  int64_t patches = 0;
  for (const Grid& grid : grids) patches += grid.patches();
  return Buffer::make(DType::f32, {patches, config.row_width()});
}

tl::unexpected<Error> in_picture(Error error, size_t index) {
  error.where = fmt::format("picture {}: {}", index, error.where);
  return tl::unexpected<Error>(std::move(error));
}

Status check_same_size(std::span<const Image> frames) {
  for (size_t i = 1; i < frames.size(); ++i)
    if (frames[i].size() != frames[0].size())
      return fail(Code::shape_mismatch, fmt::format("frame {}", i), str(frames[0].size()) + ", the size of the first",
                  str(frames[i].size()));
  return {};
}

}  // namespace

ByteTable normalised_bytes(const QwenImageProcessorConfig& config, size_t channel) {
  const float mean = config.image_mean[channel];
  const float deviation = config.image_std[channel];
  const auto scale = static_cast<float>(1.0 / config.rescale_factor);
  ByteTable table;
  for (size_t u = 0; u < table.size(); ++u) {
    if (config.backend == ProcessorBackend::torchvision)
      table[u] = (static_cast<float>(u) - mean * scale) / (deviation * scale);
    else
      table[u] = (static_cast<float>(static_cast<double>(u) * config.rescale_factor) - mean) / deviation;
  }
  return table;
}

Result<PatchRows> image_patch_rows(std::span<const Image> images, const QwenImageProcessorConfig& config) {
  if (images.empty()) return fail(Code::usage, "pictures", "at least one", "none");
  PatchRows rows;
  std::vector<Image> resized;
  for (size_t i = 0; i < images.size(); ++i) {
    const auto size = smart_resize(images[i].size(), config.factor(), config.budget);
    if (!size) return in_picture(size.error(), i);
    auto image = resize(images[i], *size, resampler(config));
    if (!image) return in_picture(image.error(), i);
    rows.grids.push_back(patch_grid(1, *size, config));
    resized.push_back(std::move(*image));
  }
  RAMET_TRY(rows.pixels, make_rows(rows.grids, config));
  RowWriter writer(config, rows.pixels);
  for (const Image& image : resized) writer.write_group({&image, 1});
  return rows;
}

Result<PatchRows> video_patch_rows(std::span<const Image> frames, const QwenVideoProcessorConfig& config) {
  if (frames.empty()) return fail(Code::usage, "video frames", "at least one", "none");
  RAMET_TRY_STATUS(check_same_size(frames));
  const QwenImageProcessorConfig& image_config = config.frames;
  const auto group = static_cast<size_t>(image_config.temporal_patch_size);
  const VideoSizeRule rule{image_config.factor(), image_config.temporal_patch_size, image_config.budget,
                           config.cap_pixels_per_frame};
  RAMET_TRY(const ImageSize size, smart_resize_video(static_cast<int64_t>(frames.size()), frames[0].size(), rule));
  std::vector<Image> resized;
  for (const Image& frame : frames) {
    RAMET_TRY(Image image, resize(frame, size, resampler(image_config)));
    resized.push_back(std::move(image));
  }
  const auto groups = static_cast<int64_t>((frames.size() + group - 1) / group);
  PatchRows rows{.pixels = {}, .grids = {patch_grid(groups, size, image_config)}};
  RAMET_TRY(rows.pixels, make_rows(rows.grids, image_config));
  RowWriter writer(image_config, rows.pixels);
  const std::span<const Image> all(resized);
  for (size_t first = 0; first < all.size(); first += group)
    writer.write_group(all.subspan(first, std::min(group, all.size() - first)));
  return rows;
}

}  // namespace ramet
