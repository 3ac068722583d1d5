#include "policy/image/qwen_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace ramet {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMaxPatchSide = 64;
constexpr int64_t kMaxFrames = 1 << 20;

Result<int64_t> integer_between(const Json& node, const char* key, int64_t fallback, int64_t low, int64_t high) {
  RAMET_TRY(const int64_t value, node.get_or<int64_t>(key, fallback));
  if (value >= low && value <= high) return value;
  RAMET_TRY(const Json child, node.at(key));
  return fail(Code::invalid_value, child.where(), fmt::format("{} to {}", low, high), std::to_string(value));
}

Result<double> positive(const Json& node, const char* key, double fallback) {
  RAMET_TRY(const double value, node.get_or<double>(key, fallback));
  if (value > 0) return value;
  RAMET_TRY(const Json child, node.at(key));
  return fail(Code::invalid_value, child.where(), "a positive number", fmt::format("{}", value));
}

Result<std::array<float, 3>> three_floats(const Json& node, const char* key, std::array<float, 3> fallback) {
  if (!node.has(key)) return fallback;
  RAMET_TRY(const Json child, node.at(key));
  RAMET_TRY(const auto values, child.as<std::vector<float>>());
  if (values.size() != 3)
    return fail(Code::shape_mismatch, child.where(), "3 numbers: red, green, blue", std::to_string(values.size()));
  return std::array{values[0], values[1], values[2]};
}

Result<std::array<float, 3>> deviations(const Json& node, std::array<float, 3> fallback) {
  RAMET_TRY(const auto values, three_floats(node, "image_std", fallback));
  if (std::all_of(values.begin(), values.end(), [](float v) { return v > 0; })) return values;
  RAMET_TRY(const Json child, node.at("image_std"));
  return fail(Code::invalid_value, child.where(), "positive numbers", fmt::format("{}", fmt::join(values, ", ")));
}

// The numbers of PIL's Image.Resampling.
Result<ResizeFilter> resize_filter(const Json& node) {
  constexpr int64_t kBilinear = 2;
  constexpr int64_t kBicubic = 3;
  RAMET_TRY(const int64_t value, node.get_or<int64_t>("resample", kBicubic));
  if (value == kBicubic) return ResizeFilter::bicubic;
  if (value == kBilinear) return ResizeFilter::bilinear;
  RAMET_TRY(const Json child, node.at("resample"));
  return fail(Code::unsupported, child.where(), "3 (bicubic) or 2 (bilinear)", std::to_string(value));
}

Status check_steps(const Json& node) {
  for (const char* step : {"do_resize", "do_rescale", "do_normalize", "do_convert_rgb"}) {
    RAMET_TRY(const bool on, node.get_or<bool>(step, true));
    if (on) continue;
    RAMET_TRY(const Json child, node.at(step));
    return fail(Code::unsupported, child.where(), "true", "false", "the towers of this family need every step");
  }
  return {};
}

Result<PixelBudget> budget_of(const Json& node, const char* low, const char* high) {
  RAMET_TRY(const int64_t min_pixels, node.get<int64_t>(low));
  RAMET_TRY(const int64_t max_pixels, node.get<int64_t>(high));
  const PixelBudget budget{min_pixels, max_pixels};
  RAMET_TRY_STATUS(check(budget, fmt::format("{}: {}, {}", node.where(), low, high)));
  return budget;
}

Result<PixelBudget> pixel_budget(const Json& node) {
  const bool old_names = node.has("min_pixels") || node.has("max_pixels");
  if (old_names && !node.has("size")) return budget_of(node, "min_pixels", "max_pixels");
  RAMET_TRY(const Json size, node.at("size"));
  RAMET_TRY(const PixelBudget budget, budget_of(size, "shortest_edge", "longest_edge"));
  if (!old_names) return budget;
  RAMET_TRY(const PixelBudget other, budget_of(node, "min_pixels", "max_pixels"));
  if (other == budget) return budget;
  return fail(Code::invalid_value, size.where(),
              fmt::format("the same as min_pixels and max_pixels, {} and {}", other.min_pixels, other.max_pixels),
              fmt::format("{} and {}", budget.min_pixels, budget.max_pixels));
}

Result<VideoSampling> video_sampling(const Json& node) {
  VideoSampling sampling;
  RAMET_TRY(sampling.fps, positive(node, "fps", sampling.fps));
  RAMET_TRY(sampling.min_frames, integer_between(node, "min_frames", sampling.min_frames, 1, kMaxFrames));
  RAMET_TRY(sampling.max_frames,
            integer_between(node, "max_frames", sampling.max_frames, sampling.min_frames, kMaxFrames));
  return sampling;
}

// A configuration found in one place or in two.
template <class Config>
Result<Config> load(const fs::path& directory, const char* flat_file, const char* nested_key,
                    Result<Config> (*parse)(const Json&)) {
  constexpr const char* kNestedFile = "processor_config.json";
  std::optional<Config> flat;
  if (fs::exists(directory / flat_file)) {
    RAMET_TRY(const JsonFile file, JsonFile::load(directory / flat_file));
    RAMET_TRY(flat, parse(file.root()));
  }
  if (fs::exists(directory / kNestedFile)) {
    RAMET_TRY(const JsonFile file, JsonFile::load(directory / kNestedFile));
    if (file.root().has(nested_key)) {
      RAMET_TRY(const Json node, file.root().at(nested_key));
      RAMET_TRY(const Config nested, parse(node));
      if (flat && !(*flat == nested))
        return fail(Code::invalid_value, node.where(), fmt::format("the values of {}", flat_file), "other values",
                    "remove the one that is not meant");
      return nested;
    }
  }
  if (flat) return *flat;
  return fail(Code::not_found, (directory / flat_file).string(), "this file", "none",
              fmt::format("or \"{}\" in {}", nested_key, kNestedFile));
}

}  // namespace

Result<QwenImageProcessorConfig> parse_qwen_image_processor(const Json& node) {
  QwenImageProcessorConfig c;
  RAMET_TRY_STATUS(check_steps(node));
  RAMET_TRY(c.patch_size, integer_between(node, "patch_size", c.patch_size, 1, kMaxPatchSide));
  RAMET_TRY(c.temporal_patch_size,
            integer_between(node, "temporal_patch_size", c.temporal_patch_size, 1, kMaxPatchSide));
  RAMET_TRY(c.merge_size, integer_between(node, "merge_size", c.merge_size, 1, kMaxPatchSide));
  RAMET_TRY(c.image_mean, three_floats(node, "image_mean", c.image_mean));
  RAMET_TRY(c.image_std, deviations(node, c.image_std));
  RAMET_TRY(c.rescale_factor, positive(node, "rescale_factor", c.rescale_factor));
  RAMET_TRY(c.resample, resize_filter(node));
  RAMET_TRY(c.budget, pixel_budget(node));
  return c;
}

Result<QwenVideoProcessorConfig> parse_qwen_video_processor(const Json& node) {
  QwenVideoProcessorConfig c;
  RAMET_TRY(c.frames, parse_qwen_image_processor(node));
  RAMET_TRY(c.sampling, video_sampling(node));
  RAMET_TRY(c.cap_pixels_per_frame, node.get_or<bool>("cap_pixels_per_frame", false));
  return c;
}

Result<QwenImageProcessorConfig> load_qwen_image_processor(const fs::path& directory) {
  return load<QwenImageProcessorConfig>(directory, "preprocessor_config.json", "image_processor",
                                        parse_qwen_image_processor);
}

Result<QwenVideoProcessorConfig> load_qwen_video_processor(const fs::path& directory) {
  return load<QwenVideoProcessorConfig>(directory, "video_preprocessor_config.json", "video_processor",
                                        parse_qwen_video_processor);
}

Status check_geometry(const QwenImageProcessorConfig& config, const PatchGeometry& tower, const std::string& where) {
  const auto same = [&](const char* key, int64_t found, int64_t expected) -> Status {
    if (found == expected) return {};
    return fail(Code::invalid_value, fmt::format("{}: {}", where, key),
                fmt::format("{}, as vision_config has it", expected), std::to_string(found));
  };
  RAMET_TRY_STATUS(same("patch_size", config.patch_size, tower.patch_size));
  RAMET_TRY_STATUS(same("temporal_patch_size", config.temporal_patch_size, tower.temporal_patch_size));
  return same("merge_size", config.merge_size, tower.spatial_merge_size);
}

}  // namespace ramet
