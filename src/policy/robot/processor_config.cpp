#include "policy/robot/processor_config.h"

#include "policy/robot/checked_json.h"
#include "policy/robot/model_config.h"

#include <fmt/format.h>

#include <array>

namespace ramet {
namespace {

// Everything that save_pretrained of N1.6 writes and that matters here.
constexpr std::array kN16Fields{
    "image_crop_size",    "image_target_size", "use_albumentations",  "shortest_image_edge",        "crop_fraction",
    "formalize_language", "max_state_dim",     "max_action_dim",      "max_action_horizon",         "use_percentiles",
    "clip_outliers",      "model_name",        "use_relative_action", "apply_sincos_state_encoding"};
constexpr IntRange kPixels{1, 16384};

Result<std::optional<ImageSize>> parse_size(const Json& kwargs, std::string_view key) {
  if (!kwargs.has(key)) return std::nullopt;
  RAMET_TRY(const Json list, kwargs.at(key));
  RAMET_TRY(const std::vector<Json> sides, list.elements());
  if (sides.size() != 2)
    return fail(Code::invalid_value, list.where(), "[height, width]", fmt::format("{} numbers", sides.size()));
  ImageSize size;
  RAMET_TRY(size.height, int_in_range(sides[0], kPixels));
  RAMET_TRY(size.width, int_in_range(sides[1], kPixels));
  return size;
}

Result<std::map<std::string, ModalityConfig>> parse_modality_configs(const Json& kwargs) {
  RAMET_TRY(const Json configs, kwargs.at("modality_configs"));
  RAMET_TRY(const auto items, configs.items());
  if (items.empty()) return fail(Code::invalid_file, configs.where(), "at least one embodiment", "none");
  std::map<std::string, ModalityConfig> result;
  for (const auto& [tag, node] : items) {
    RAMET_TRY(ModalityConfig config, parse_modality_config(node));
    result.emplace(tag, std::move(config));
  }
  return result;
}

Status check_class(const Json& root, const std::string& expected) {
  RAMET_TRY(const std::string found, root.get_or("processor_class", expected));
  if (found == expected) return {};
  return fail(Code::unsupported, root.where() + ": processor_class", expected, found,
              "this directory belongs to another version of GR00T");
}

Result<ProcessorConfig> parse_kwargs(const Json& kwargs) {
  ProcessorConfig config;
  config.where = kwargs.where();
  RAMET_TRY(config.modality_configs, parse_modality_configs(kwargs));
  RAMET_TRY(config.image, parse_image_options(kwargs, EvalTransformOptions{}));
  RAMET_TRY(config.formalize_language, kwargs.get_or("formalize_language", config.formalize_language));
  RAMET_TRY(config.clip_outliers, kwargs.get_or("clip_outliers", config.clip_outliers));
  RAMET_TRY(config.max_state_dim, int_or(kwargs, "max_state_dim", config.max_state_dim));
  RAMET_TRY(config.max_action_dim, int_or(kwargs, "max_action_dim", config.max_action_dim));
  RAMET_TRY(config.max_action_horizon, int_or(kwargs, "max_action_horizon", config.max_action_horizon));
  RAMET_TRY(config.use_percentiles, kwargs.get_or("use_percentiles", false));
  RAMET_TRY(config.use_relative_action, kwargs.get_or("use_relative_action", false));
  RAMET_TRY(config.apply_sincos_state_encoding, kwargs.get_or("apply_sincos_state_encoding", false));
  RAMET_TRY(config.exclude_state, kwargs.get_or("exclude_state", false));
  RAMET_TRY(config.model_name, kwargs.get_or("model_name", config.model_name));
  return config;
}

}  // namespace

std::vector<std::string> ProcessorConfig::tags() const {
  std::vector<std::string> names;
  for (const auto& [tag, config] : modality_configs) names.push_back(tag);
  return names;
}

Result<EvalTransformOptions> parse_image_options(const Json& kwargs, const EvalTransformOptions& defaults) {
  EvalTransformOptions image = defaults;
  RAMET_TRY(image.use_albumentations, kwargs.get_or("use_albumentations", defaults.use_albumentations));
  RAMET_TRY(image.letter_box_transform, kwargs.get_or("letter_box_transform", defaults.letter_box_transform));
  RAMET_TRY(image.shortest_image_edge, nullable_int(kwargs, "shortest_image_edge", defaults.shortest_image_edge));
  RAMET_TRY(image.crop_fraction, nullable_fraction(kwargs, "crop_fraction", defaults.crop_fraction));
  RAMET_TRY(image.image_target_size, parse_size(kwargs, "image_target_size"));
  RAMET_TRY(image.image_crop_size, parse_size(kwargs, "image_crop_size"));
  return image;
}

Result<ProcessorConfig> parse_processor_config(const Json& root) {
  RAMET_TRY_STATUS(check_class(root, "Gr00tN1d7Processor"));
  RAMET_TRY(const Json kwargs, root.at("processor_kwargs"));
  return parse_kwargs(kwargs);
}

Result<ProcessorConfig> parse_n16_processor_config(const Json& root) {
  RAMET_TRY_STATUS(check_class(root, "Gr00tN1d6Processor"));
  RAMET_TRY(const Json kwargs, root.at("processor_kwargs"));
  for (const char* field : kN16Fields) RAMET_TRY_STATUS(kwargs.at(field));
  RAMET_TRY_STATUS(require_text(kwargs, "model_type", "eagle"));
  RAMET_TRY(ProcessorConfig config, parse_kwargs(kwargs));
  config.keep_delta_actions = true;
  return config;
}

}  // namespace ramet
