#include "models/qwen3_vl_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace ramet {
namespace {

constexpr int64_t kMaxSize = int64_t{1} << 24;  // above every size a model can have, far below overflow

Result<int64_t> size_of(const Json& json, std::string_view key) {
  RAMET_TRY(const int64_t value, json.get<int64_t>(key));
  if (value < 1 || value > kMaxSize)
    return fail(Code::invalid_value, json.where() + "." + std::string(key), fmt::format("1 to {}", kMaxSize),
                fmt::format("{}", value));
  return value;
}

Result<double> positive(const Json& json, std::string_view key) {
  RAMET_TRY(const double value, json.get<double>(key));
  if (value <= 0)
    return fail(Code::invalid_value, json.where() + "." + std::string(key), "a positive number",
                fmt::format("{}", value));
  return value;
}

// The published models have 1e4 to 5e6. Far above, every frequency but the first is zero in float32.
Result<double> parse_rope_theta(const Json& json) {
  constexpr double kMaxTheta = 1e12;
  RAMET_TRY(const double theta, json.get<double>("rope_theta"));
  if (theta >= 1 && theta <= kMaxTheta) return theta;
  return fail(Code::invalid_value, json.where() + ".rope_theta", fmt::format("a number from 1 to {:g}", kMaxTheta),
              fmt::format("{}", theta));
}

Status require(const Json& json, std::string_view key, std::string_view value) {
  RAMET_TRY(const std::string found, json.get_or<std::string>(key, std::string(value)));
  if (found != value) return fail(Code::unsupported, json.where() + "." + std::string(key), std::string(value), found);
  return {};
}

Status check_vision(const QwenVisionConfig& c, const std::string& where) {
  if (c.hidden_size % c.num_heads != 0 || c.head_dim() % 4 != 0)
    return fail(Code::invalid_value, where + ".num_heads", "heads whose width is a multiple of 4",
                fmt::format("hidden_size {} / num_heads {}", c.hidden_size, c.num_heads));
  if (c.position_side() * c.position_side() != c.num_position_embeddings)
    return fail(Code::invalid_value, where + ".num_position_embeddings", "a square number",
                fmt::format("{}", c.num_position_embeddings));
  const auto& levels = c.deepstack_visual_indexes;
  const bool ascending = std::adjacent_find(levels.begin(), levels.end(), std::greater_equal<>()) == levels.end();
  if (!ascending || (!levels.empty() && (levels.front() < 0 || levels.back() >= c.depth)))
    return fail(Code::invalid_value, where + ".deepstack_visual_indexes",
                fmt::format("ascending block numbers below {}", c.depth), fmt::format("{}", fmt::join(levels, ", ")));
  return {};
}

Status check_vision_rope(const Json& json) {
  if (!json.has("rope_parameters")) return {};
  RAMET_TRY(const Json rope, json.at("rope_parameters"));
  RAMET_TRY(const double theta, rope.get_or<double>("rope_theta", 10000.0));
  if (theta != 10000.0) return fail(Code::unsupported, rope.where() + ".rope_theta", "10000", fmt::format("{}", theta));
  return require(rope, "rope_type", "axial");
}

Result<QwenVisionConfig> parse_vision(const Json& json) {
  QwenVisionConfig c;
  RAMET_TRY(c.depth, size_of(json, "depth"));
  RAMET_TRY(c.hidden_size, size_of(json, "hidden_size"));
  RAMET_TRY(c.num_heads, size_of(json, "num_heads"));
  RAMET_TRY(c.intermediate_size, size_of(json, "intermediate_size"));
  RAMET_TRY(c.out_hidden_size, size_of(json, "out_hidden_size"));
  RAMET_TRY(c.num_position_embeddings, size_of(json, "num_position_embeddings"));
  RAMET_TRY(c.in_channels, size_of(json, "in_channels"));
  RAMET_TRY(c.patch_size, size_of(json, "patch_size"));
  RAMET_TRY(c.temporal_patch_size, size_of(json, "temporal_patch_size"));
  RAMET_TRY(c.spatial_merge_size, size_of(json, "spatial_merge_size"));
  RAMET_TRY(c.deepstack_visual_indexes,
            json.get_or<std::vector<int64_t>>("deepstack_visual_indexes", std::vector<int64_t>{}));
  RAMET_TRY_STATUS(require(json, "hidden_act", "gelu_pytorch_tanh"));
  RAMET_TRY_STATUS(check_vision_rope(json));
  RAMET_TRY_STATUS(check_vision(c, json.where()));
  return c;
}

// Transformers 4 writes rope_scaling and rope_theta, transformers 5 rope_parameters.
Result<Json> rope_json(const Json& json) {
  if (json.has("rope_parameters")) return json.at("rope_parameters");
  return json.at("rope_scaling");
}

Status parse_rope(const Json& json, Qwen3TextConfig& c) {
  RAMET_TRY(const Json rope, rope_json(json));
  RAMET_TRY(c.rope_theta, parse_rope_theta(rope.has("rope_theta") ? rope : json));
  RAMET_TRY_STATUS(require(rope, "rope_type", "default"));
  RAMET_TRY(const bool interleaved, rope.get_or<bool>("mrope_interleaved", true));
  if (!interleaved) return fail(Code::unsupported, rope.where() + ".mrope_interleaved", "true", "false");
  RAMET_TRY(c.mrope_section, rope.get<std::vector<int64_t>>("mrope_section"));
  const bool valid = c.mrope_section.size() == 3 &&
                     std::all_of(c.mrope_section.begin(), c.mrope_section.end(),
                                 [&](int64_t n) { return n >= 0 && n <= c.head_dim; }) &&
                     c.mrope_section[0] + c.mrope_section[1] + c.mrope_section[2] == c.head_dim / 2;
  if (!valid)
    return fail(Code::invalid_value, rope.where() + ".mrope_section",
                fmt::format("three counts that add up to {}", c.head_dim / 2),
                fmt::format("{}", fmt::join(c.mrope_section, ", ")));
  return {};
}

Status check_text(const Qwen3TextConfig& c, const std::string& where) {
  if (c.num_attention_heads % c.num_key_value_heads != 0)
    return fail(Code::invalid_value, where + ".num_key_value_heads",
                fmt::format("a divisor of num_attention_heads {}", c.num_attention_heads),
                fmt::format("{}", c.num_key_value_heads));
  if (c.head_dim % 2 != 0)
    return fail(Code::invalid_value, where + ".head_dim", "an even number", fmt::format("{}", c.head_dim));
  return {};
}

Result<Qwen3TextConfig> parse_text(const Json& json) {
  Qwen3TextConfig c;
  RAMET_TRY(c.num_hidden_layers, size_of(json, "num_hidden_layers"));
  RAMET_TRY(c.hidden_size, size_of(json, "hidden_size"));
  RAMET_TRY(c.num_attention_heads, size_of(json, "num_attention_heads"));
  RAMET_TRY(c.num_key_value_heads, size_of(json, "num_key_value_heads"));
  RAMET_TRY(c.head_dim, size_of(json, "head_dim"));
  RAMET_TRY(c.intermediate_size, size_of(json, "intermediate_size"));
  RAMET_TRY(c.vocab_size, size_of(json, "vocab_size"));
  RAMET_TRY(c.rms_norm_eps, positive(json, "rms_norm_eps"));
  RAMET_TRY_STATUS(require(json, "hidden_act", "silu"));
  RAMET_TRY(const bool attention_bias, json.get_or<bool>("attention_bias", false));
  if (attention_bias) return fail(Code::unsupported, json.where() + ".attention_bias", "false", "true");
  RAMET_TRY_STATUS(check_text(c, json.where()));
  RAMET_TRY_STATUS(parse_rope(json, c));
  return c;
}

Result<bool> tied(const Json& root, const Json& text) {
  if (root.has("tie_word_embeddings")) return root.get<bool>("tie_word_embeddings");
  return text.get_or<bool>("tie_word_embeddings", false);
}

// A merged row takes the place of a token's row.
Status check_out_hidden_size(const QwenVisionConfig& c, const Json& vision, const Json& text) {
  RAMET_TRY(const int64_t hidden_size, size_of(text, "hidden_size"));
  if (c.out_hidden_size == hidden_size) return {};
  return fail(Code::invalid_value, vision.where() + ".out_hidden_size",
              fmt::format("hidden_size of the text model, {}", hidden_size), fmt::format("{}", c.out_hidden_size));
}

Result<bool> is_known_type(const Json& root, const std::string& type) {
  constexpr std::array known{"qwen3_vl", "qwen3_vl_moe", "qwen3_5", "qwen3_5_moe"};
  if (std::find(known.begin(), known.end(), type) != known.end()) return type == "qwen3_vl";
  return fail(Code::unsupported, root.where() + ": model_type", fmt::format("one of {}", fmt::join(known, ", ")), type);
}

QwenVisionConfig tower(int64_t depth, int64_t hidden, int64_t heads, int64_t intermediate, int64_t out,
                       std::vector<int64_t> deepstack) {
  QwenVisionConfig c;
  c.depth = depth;
  c.hidden_size = hidden;
  c.num_heads = heads;
  c.intermediate_size = intermediate;
  c.out_hidden_size = out;
  c.num_position_embeddings = 2304;
  c.deepstack_visual_indexes = std::move(deepstack);
  return c;
}

QwenVisionConfig small_tower(int64_t out, std::vector<int64_t> deepstack) {
  return tower(24, 1024, 16, 4096, out, std::move(deepstack));
}

QwenVisionConfig large_tower(int64_t out, std::vector<int64_t> deepstack) {
  return tower(27, 1152, 16, 4304, out, std::move(deepstack));
}

Qwen3TextConfig text(int64_t layers, int64_t hidden, int64_t heads, int64_t kv_heads, int64_t intermediate, bool tie) {
  Qwen3TextConfig c;
  c.num_hidden_layers = layers;
  c.hidden_size = hidden;
  c.num_attention_heads = heads;
  c.num_key_value_heads = kv_heads;
  c.head_dim = 128;
  c.intermediate_size = intermediate;
  c.vocab_size = 151936;
  c.rope_theta = 5e6;
  c.mrope_section = {24, 20, 20};
  c.tie_word_embeddings = tie;
  return c;
}

Qwen3VlConfig qwen3_vl(QwenVisionConfig vision, std::optional<Qwen3TextConfig> text_config) {
  return {.model_type = text_config ? "qwen3_vl" : "qwen3_vl_moe",
          .vision = std::move(vision),
          .text = std::move(text_config),
          .image_token_id = 151655,
          .video_token_id = 151656,
          .vision_start_token_id = 151652,
          .vision_end_token_id = 151653};
}

Qwen3VlConfig qwen3_5(QwenVisionConfig vision) {
  return {.model_type = "qwen3_5",
          .vision = std::move(vision),
          .text = {},
          .image_token_id = 248056,
          .video_token_id = 248057,
          .vision_start_token_id = 248053,
          .vision_end_token_id = 248054};
}

}  // namespace

int64_t QwenVisionConfig::position_side() const {
  return std::lround(std::sqrt(static_cast<double>(num_position_embeddings)));
}

Result<Qwen3VlConfig> parse_qwen3_vl_config(const Json& root) {
  Qwen3VlConfig config;
  RAMET_TRY(config.model_type, root.get<std::string>("model_type"));
  RAMET_TRY(const bool has_text, is_known_type(root, config.model_type));
  RAMET_TRY(const Json vision, root.at("vision_config"));
  RAMET_TRY(config.vision, parse_vision(vision));
  RAMET_TRY(config.image_token_id, size_of(root, "image_token_id"));
  RAMET_TRY(config.video_token_id, size_of(root, "video_token_id"));
  RAMET_TRY(config.vision_start_token_id, size_of(root, "vision_start_token_id"));
  RAMET_TRY(config.vision_end_token_id, size_of(root, "vision_end_token_id"));
  RAMET_TRY(const Json text_json, root.at("text_config"));
  RAMET_TRY_STATUS(check_out_hidden_size(config.vision, vision, text_json));
  if (!has_text) return config;
  RAMET_TRY(config.text, parse_text(text_json));
  RAMET_TRY(config.text->tie_word_embeddings, tied(root, text_json));
  return config;
}

std::vector<PublishedModel> published_qwen3_vl_models() {
  const std::vector<int64_t> at_24{5, 11, 17}, at_27{8, 16, 24};
  const Qwen3VlConfig model_2b = qwen3_vl(small_tower(2048, at_24), text(28, 2048, 16, 8, 6144, true));
  return {{"nvidia/Cosmos-Reason2-2B", model_2b},
          {"Qwen/Qwen3-VL-2B-Instruct", model_2b},
          {"Qwen/Qwen3-VL-4B-Instruct", qwen3_vl(small_tower(2560, at_24), text(36, 2560, 32, 8, 9728, true))},
          {"Qwen/Qwen3-VL-8B-Instruct", qwen3_vl(large_tower(4096, at_27), text(36, 4096, 32, 8, 12288, false))},
          {"Qwen/Qwen3-VL-32B-Instruct", qwen3_vl(large_tower(5120, at_27), text(64, 5120, 64, 8, 25600, false))},
          {"Qwen/Qwen3-VL-30B-A3B-Instruct", qwen3_vl(large_tower(2048, at_27), std::nullopt)},
          {"Qwen/Qwen3.5-0.8B", qwen3_5(tower(12, 768, 12, 3072, 1024, {}))},
          {"Qwen/Qwen3.5-2B", qwen3_5(small_tower(2048, {}))},
          {"Qwen/Qwen3.5-4B", qwen3_5(small_tower(2560, {}))},
          {"Qwen/Qwen3.5-9B", qwen3_5(large_tower(4096, {}))},
          {"Qwen/Qwen3.5-27B", qwen3_5(large_tower(5120, {}))}};
}

std::optional<Qwen3VlConfig> published_qwen3_vl_config(std::string_view model_name) {
  for (const PublishedModel& model : published_qwen3_vl_models())
    if (model.name == model_name) return model.config;
  return std::nullopt;
}

}  // namespace ramet
