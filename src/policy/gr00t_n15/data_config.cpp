#include "policy/gr00t_n15/data_config.h"

#include "base/json.h"
#include "base/names.h"
#include "policy/gr00t_n15/data_config_presets.h"
#include "policy/robot/checked_json.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>

namespace ramet {
namespace {

constexpr std::string_view kRotationStep = "to_";
constexpr std::string_view kSinCos = "sin_cos";

Status add_step(const Json& node, KeySteps& key) {
  RAMET_TRY(const std::string step, node.as<std::string>());
  const bool has_columns_step = key.sin_cos || key.normalization != NormalizerMode::none;
  if (has_columns_step) return fail(Code::invalid_value, node.where(), "no step after the normalisation", step);
  if (step.starts_with(kRotationStep)) {
    RAMET_TRY(key.rotation, parse_rotation_format(std::string_view(step).substr(kRotationStep.size()), node.where()));
    return {};
  }
  if (step == kSinCos) {
    key.sin_cos = true;
    return {};
  }
  RAMET_TRY(key.normalization, parse_normalizer_mode(step, node.where()));
  return {};
}

Result<KeySteps> parse_key(const Json& node) {
  RAMET_TRY(const std::vector<Json> parts, node.elements());
  if (parts.empty()) return fail(Code::invalid_file, node.where(), "[KEY, STEP...]", "an empty list");
  KeySteps key;
  RAMET_TRY(key.key, parts.front().as<std::string>());
  for (size_t i = 1; i < parts.size(); ++i) RAMET_TRY_STATUS(add_step(parts[i], key));
  return key;
}

Result<std::vector<KeySteps>> parse_keys(const Json& root, std::string_view group) {
  std::vector<KeySteps> keys;
  std::set<std::string> seen;
  RAMET_TRY(const Json list, root.at(group));
  RAMET_TRY(const std::vector<Json> entries, list.elements());
  for (const Json& entry : entries) {
    RAMET_TRY(KeySteps key, parse_key(entry));
    if (!seen.insert(key.key).second)
      return fail(Code::invalid_value, entry.where(), "different keys", key.key + " twice");
    keys.push_back(std::move(key));
  }
  return keys;
}

Status check_actions(const DataConfig& config, const std::string& where) {
  if (config.action.empty()) return fail(Code::invalid_value, where, "at least one action key", "none");
  for (const KeySteps& key : config.action)
    if (key.sin_cos || key.normalization == NormalizerMode::scale)
      return fail(Code::unsupported, fmt::format("{}.{}", where, key.key), "a step that can be undone",
                  key.sin_cos ? "sin_cos" : "scale");
  return {};
}

Result<JsonFile> presets() { return JsonFile::parse(data_config_presets_json(), "built-in data configurations"); }

}  // namespace

Result<DataConfig> parse_data_config(const Json& root, std::string name) {
  DataConfig config{.name = std::move(name), .video = {}, .state = {}, .action = {}, .language = {}};
  RAMET_TRY(const Json video, root.at("video"));
  RAMET_TRY(config.video, unique_names(video));
  if (config.video.empty()) return fail(Code::invalid_value, video.where(), "at least one view", "none");
  RAMET_TRY(config.state, parse_keys(root, "state"));
  RAMET_TRY(config.action, parse_keys(root, "action"));
  RAMET_TRY_STATUS(check_actions(config, place(root, "action")));
  RAMET_TRY(config.language, root.get<std::string>("language"));
  RAMET_TRY(config.action_horizon, int_or(root, "action_horizon", config.action_horizon, {1, 1024}));
  return config;
}

std::vector<std::string> data_config_presets() {
  std::vector<std::string> names;
  if (const auto file = presets())
    if (const auto items = file->root().items())
      for (const auto& [name, node] : *items) names.push_back(name);
  return names;
}

Result<DataConfig> load_data_config(const std::string& name_or_file) {
  if (std::filesystem::path(name_or_file).extension() == ".json") {
    RAMET_TRY(const JsonFile file, JsonFile::load(name_or_file));
    return parse_data_config(file.root(), name_or_file);
  }
  RAMET_TRY(const JsonFile file, presets());
  if (!file.root().has(name_or_file))
    return fail(Code::not_found, "data configuration", "a preset, or a file that ends in .json", name_or_file,
                nearest_hint(name_or_file, data_config_presets()));
  RAMET_TRY(const Json preset, file.root().at(name_or_file));
  return parse_data_config(preset, name_or_file);
}

}  // namespace ramet
