#include "policy/robot/model_config.h"

#include "policy/robot/checked_json.h"

#include <fmt/format.h>

namespace ramet {
namespace {

constexpr IntRange kCount{1, 1024};

}  // namespace

Status refuse_if_true(const Json& root, std::string_view key, std::string hint) {
  RAMET_TRY(const bool on, root.get_or(key, false));
  if (!on) return {};
  return fail(Code::unsupported, place(root, key), "false", "true", std::move(hint));
}

Status require_text(const Json& object, std::string_view key, const std::string& expected) {
  const Result<std::string> found = object.get_or(key, expected);
  if (!found) return tl::unexpected(found.error());
  if (*found == expected) return {};
  return fail(Code::unsupported, place(object, key), expected, *found);
}

Status refuse_if_given(const Json& object, std::string_view key) {
  if (!object.has(key)) return {};
  return fail(Code::unsupported, place(object, key), "null", "a value");
}

Status check_width(const Json& root, std::string_view key, int64_t expected, int64_t found) {
  if (expected == found) return {};
  return fail(Code::invalid_value, place(root, key), fmt::format("{}", expected), fmt::format("{}", found));
}

Result<DiffusionModelConfig> parse_diffusion_model(const Json& root) {
  DiffusionModelConfig config;
  if (!root.has("diffusion_model_cfg")) return config;
  RAMET_TRY(const Json node, root.at("diffusion_model_cfg"));
  RAMET_TRY_STATUS(require_text(node, "norm_type", "ada_norm"));
  RAMET_TRY_STATUS(refuse_if_given(node, "positional_embeddings"));
  RAMET_TRY(const bool interleaved, node.get_or("interleave_self_attention", true));
  if (!interleaved) return fail(Code::unsupported, node.where() + ".interleave_self_attention", "true", "false");
  RAMET_TRY(config.num_layers, int_or(node, "num_layers", config.num_layers, kCount));
  RAMET_TRY(config.num_attention_heads, int_or(node, "num_attention_heads", config.num_attention_heads, kCount));
  RAMET_TRY(config.attention_head_dim, int_or(node, "attention_head_dim", config.attention_head_dim, kCount));
  RAMET_TRY(config.output_dim, int_or(node, "output_dim", config.output_dim));
  return config;
}

}  // namespace ramet
