// What one robot sends and receives: its cameras, state keys, action keys and language keys.
//
//   modality_configs[tag] = {"video" | "state" | "action" | "language": {
//     "delta_indices": time offsets of the rows, in steps; its length is the horizon,
//     "modality_keys": names; their order is the order of concatenation,
//     "sin_cos_embedding_keys", "mean_std_embedding_keys": lists of keys or null,
//     "action_configs": null (everything absolute), or one entry per action key}}
//
// Unknown fields and modalities are ignored. Errors: not_found, invalid_value, with file and key.
// Source: spec gr00t-n1.7, section 1.3.
#pragma once

#include "base/json.h"

#include <ramet/error.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ramet {

enum class ActionRepresentation { absolute, relative, delta };
enum class ActionType { non_eef, eef };
enum class ActionFormat { default_format, xyz_rot6d, xyz_rotvec };  // of an end effector: 4x4, 9 or 6 values

std::string_view name(ActionFormat format);  // "DEFAULT", "XYZ_ROT6D", "XYZ_ROTVEC"

struct ActionConfig {
  ActionRepresentation rep = ActionRepresentation::absolute;
  ActionType type = ActionType::non_eef;
  ActionFormat format = ActionFormat::default_format;
  std::string state_key;  // of the reference; the action's own name unless the file says otherwise
};

struct Modality {
  std::vector<int64_t> delta_indices = {};
  std::vector<std::string> modality_keys = {};
  std::vector<std::string> sin_cos_embedding_keys = {};
  std::vector<std::string> mean_std_embedding_keys = {};
  bool exclude_state = false;

  int64_t horizon() const { return static_cast<int64_t>(delta_indices.size()); }
  bool has_key(std::string_view key) const;
  bool is_sin_cos(std::string_view key) const;
  bool is_mean_std(std::string_view key) const;
};

struct ModalityConfig {
  Modality video, state, action, language;
  std::vector<ActionConfig> action_configs;  // one per action key, in their order
};

Result<ModalityConfig> parse_modality_config(const Json& node);

}  // namespace ramet
