// Parts of config.json that the versions of GR00T share, and ways of refusing what Ramet has no model for.
// Errors: invalid_value and unsupported, with file and key.
#pragma once

#include "base/json.h"

#include <ramet/error.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace ramet {

struct DiffusionModelConfig {
  int64_t num_layers = 16;
  int64_t num_attention_heads = 32;
  int64_t attention_head_dim = 48;
  int64_t output_dim = 1024;
};

// root: config.json; without "diffusion_model_cfg" the defaults above.
Result<DiffusionModelConfig> parse_diffusion_model(const Json& root);

Status refuse_if_true(const Json& object, std::string_view key, std::string hint);
Status refuse_if_given(const Json& object, std::string_view key);
Status require_text(const Json& object, std::string_view key, const std::string& expected);
Status check_width(const Json& root, std::string_view key, int64_t expected, int64_t found);

}  // namespace ramet
