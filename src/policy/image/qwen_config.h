// The image and video processors of the Qwen3-VL family, as their configuration files describe them.
//
// Read from preprocessor_config.json and video_preprocessor_config.json, or from the objects "image_processor" and
// "video_processor" of a processor_config.json; where both exist they must agree. `size.shortest_edge` and
// `size.longest_edge` are areas in pixels; `min_pixels` and `max_pixels` are their older names. One of the two pairs is
// required: the defaults of the processor classes are wrong for this family.
// Errors name file and key: not_found, invalid_file, invalid_value, unsupported (a step switched off, other filters).
// Source: spec qwen3-vl, section 4.1.
#pragma once

#include "base/json.h"
#include "policy/image/smart_resize.h"
#include "policy/image/video_sampling.h"

#include <array>
#include <filesystem>

namespace ramet {

enum class ResizeFilter { bilinear, bicubic };

// Which implementation of the processor is meant; they differ in a few bytes per thousand.
enum class ProcessorBackend {
  torchvision,  // what AutoImageProcessor picks
  pillow,       // Pillow 13
};

struct QwenImageProcessorConfig {
  int64_t patch_size = 16;
  int64_t temporal_patch_size = 2;
  int64_t merge_size = 2;
  std::array<float, 3> image_mean{0.5F, 0.5F, 0.5F};
  std::array<float, 3> image_std{0.5F, 0.5F, 0.5F};
  double rescale_factor = 1.0 / 255;
  ResizeFilter resample = ResizeFilter::bicubic;
  ProcessorBackend backend = ProcessorBackend::torchvision;
  PixelBudget budget{65536, 16777216};

  int64_t factor() const { return patch_size * merge_size; }
  int64_t row_width() const { return 3 * temporal_patch_size * patch_size * patch_size; }
  friend bool operator==(const QwenImageProcessorConfig&, const QwenImageProcessorConfig&) = default;
};

struct QwenVideoProcessorConfig {
  QwenImageProcessorConfig frames{.budget = {4096, 25165824}};  // a budget over time
  VideoSampling sampling;
  bool cap_pixels_per_frame = false;

  friend bool operator==(const QwenVideoProcessorConfig&, const QwenVideoProcessorConfig&) = default;
};

// `node`: the whole of preprocessor_config.json, or the object "image_processor".
Result<QwenImageProcessorConfig> parse_qwen_image_processor(const Json& node);
Result<QwenVideoProcessorConfig> parse_qwen_video_processor(const Json& node);

Result<QwenImageProcessorConfig> load_qwen_image_processor(const std::filesystem::path& directory);
Result<QwenVideoProcessorConfig> load_qwen_video_processor(const std::filesystem::path& directory);

// The geometry that the tower's vision_config states. Errors: invalid_value, naming `where` and the key.
struct PatchGeometry {
  int64_t patch_size = 16;
  int64_t temporal_patch_size = 2;
  int64_t spatial_merge_size = 2;
};
Status check_geometry(const QwenImageProcessorConfig& config, const PatchGeometry& tower, const std::string& where);

}  // namespace ramet
