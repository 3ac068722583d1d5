#include "policy/robot/modality.h"

#include "policy/robot/checked_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace ramet {
namespace {

constexpr size_t kMaxHorizon = 1024;  // rows; the published robots use up to 50

template <class T>
using EnumNames = std::array<std::pair<std::string_view, T>, 3>;

constexpr EnumNames<ActionRepresentation> kRepresentations{{{"ABSOLUTE", ActionRepresentation::absolute},
                                                            {"RELATIVE", ActionRepresentation::relative},
                                                            {"DELTA", ActionRepresentation::delta}}};
constexpr std::array<std::pair<std::string_view, ActionType>, 2> kTypes{
    {{"NON_EEF", ActionType::non_eef}, {"EEF", ActionType::eef}}};
constexpr EnumNames<ActionFormat> kFormats{{{"DEFAULT", ActionFormat::default_format},
                                            {"XYZ_ROT6D", ActionFormat::xyz_rot6d},
                                            {"XYZ_ROTVEC", ActionFormat::xyz_rotvec}}};

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

template <class Names>
Result<typename Names::value_type::second_type> enum_value(const Json& object, std::string_view key,
                                                           const Names& names) {
  RAMET_TRY(const std::string text, object.get<std::string>(key));
  std::vector<std::string_view> known;
  for (const auto& [known_name, value] : names) {
    if (enum_name(text) == known_name) return value;
    known.push_back(known_name);
  }
  return fail(Code::invalid_value, fmt::format("{}.{}", object.where(), key),
              fmt::format("one of {}", fmt::join(known, ", ")), text);
}

Result<ActionConfig> parse_action_config(const Json& node, const std::string& key) {
  ActionConfig config;
  RAMET_TRY(config.rep, enum_value(node, "rep", kRepresentations));
  RAMET_TRY(config.type, enum_value(node, "type", kTypes));
  RAMET_TRY(config.format, enum_value(node, "format", kFormats));
  RAMET_TRY(config.state_key, node.get_or<std::string>("state_key", key));
  return config;
}

Result<std::vector<ActionConfig>> parse_action_configs(const Json& action, const std::vector<std::string>& keys) {
  std::vector<ActionConfig> configs;
  for (const std::string& key : keys) configs.push_back({.state_key = key});
  if (!action.has("action_configs")) return configs;
  RAMET_TRY(const Json list, action.at("action_configs"));
  RAMET_TRY(const std::vector<Json> entries, list.elements());
  if (entries.size() != keys.size())
    return fail(Code::invalid_value, list.where(), fmt::format("{} entries, one per action key", keys.size()),
                fmt::format("{} entries", entries.size()));
  for (size_t i = 0; i < keys.size(); ++i)
    if (!entries[i].is_null()) {
      RAMET_TRY(configs[i], parse_action_config(entries[i], keys[i]));
    }
  return configs;
}

Result<std::vector<std::string>> optional_names(const Json& object, std::string_view key) {
  if (!object.has(key)) return std::vector<std::string>{};
  RAMET_TRY(const Json list, object.at(key));
  return unique_names(list);
}

Result<std::vector<int64_t>> parse_delta_indices(const Json& modality) {
  RAMET_TRY(const Json list, modality.at("delta_indices"));
  RAMET_TRY(std::vector<int64_t> indices, list.as<std::vector<int64_t>>());
  if (indices.empty() || indices.size() > kMaxHorizon)
    return fail(Code::invalid_value, list.where(), fmt::format("1 to {} time offsets", kMaxHorizon),
                fmt::format("{}", indices.size()));
  return indices;
}

Result<Modality> parse_modality(const Json& config, std::string_view name) {
  RAMET_TRY(const Json node, config.at(name));
  Modality modality;
  RAMET_TRY(modality.delta_indices, parse_delta_indices(node));
  RAMET_TRY(const Json keys, node.at("modality_keys"));
  RAMET_TRY(modality.modality_keys, unique_names(keys));
  if (modality.modality_keys.empty())
    return fail(Code::invalid_value, keys.where(), fmt::format("at least one {} key", name), "none");
  RAMET_TRY(modality.sin_cos_embedding_keys, optional_names(node, "sin_cos_embedding_keys"));
  RAMET_TRY(modality.mean_std_embedding_keys, optional_names(node, "mean_std_embedding_keys"));
  RAMET_TRY(modality.exclude_state, node.get_or("exclude_state", false));
  return modality;
}

}  // namespace

std::string_view name(ActionFormat format) {
  for (const auto& [known_name, value] : kFormats)
    if (value == format) return known_name;
  return {};
}

bool Modality::has_key(std::string_view key) const { return contains(modality_keys, key); }
bool Modality::is_sin_cos(std::string_view key) const { return contains(sin_cos_embedding_keys, key); }
bool Modality::is_mean_std(std::string_view key) const { return contains(mean_std_embedding_keys, key); }

Result<ModalityConfig> parse_modality_config(const Json& node) {
  ModalityConfig config;
  RAMET_TRY(config.video, parse_modality(node, "video"));
  RAMET_TRY(config.state, parse_modality(node, "state"));
  RAMET_TRY(config.action, parse_modality(node, "action"));
  RAMET_TRY(config.language, parse_modality(node, "language"));
  RAMET_TRY(const Json action, node.at("action"));
  RAMET_TRY(config.action_configs, parse_action_configs(action, config.action.modality_keys));
  return config;
}

}  // namespace ramet
