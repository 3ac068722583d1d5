#include "policy/robot/lerobot_pipeline.h"

#include "base/names.h"
#include "tensor/buffer.h"
#include "weights/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ramet {
namespace {

Status check_flat(const KeyStatistics& flat) {
  const auto columns = [&](Statistic statistic) { return flat.rows[static_cast<size_t>(statistic)].dims; };
  for (const StatisticRows& rows : flat.rows)
    for (const double value : rows.values)
      if (!std::isfinite(value)) return fail(Code::not_finite, flat.where, "finite numbers", fmt::format("{}", value));
  if (columns(Statistic::min) > 0 && columns(Statistic::min) == columns(Statistic::max)) return {};
  return fail(Code::invalid_file, flat.where, "min and max of the same length, not empty",
              fmt::format("{} and {}", columns(Statistic::min), columns(Statistic::max)));
}

}  // namespace

Result<bool> is_lerobot(const Json& config) {
  if (!config.has("type")) return false;
  RAMET_TRY(const std::string type, config.get<std::string>("type"));
  if (type == "groot") return true;
  return fail(Code::unsupported, config.where() + ": type", "groot", type, "this directory holds another policy");
}

Result<std::vector<LerobotStep>> read_steps(const Json& pipeline) {
  RAMET_TRY(const Json list, pipeline.at("steps"));
  RAMET_TRY(const std::vector<Json> nodes, list.elements());
  std::vector<LerobotStep> steps;
  for (const Json& node : nodes) {
    if (!node.has("registry_name")) continue;
    RAMET_TRY(std::string name, node.get<std::string>("registry_name"));
    RAMET_TRY(const Json config, node.at("config"));
    RAMET_TRY(std::string state_file, node.get_or<std::string>("state_file", ""));
    steps.push_back({node.where(), std::move(name), config, std::move(state_file)});
  }
  return steps;
}

const LerobotStep* find_step(const std::vector<LerobotStep>& steps, std::string_view name) {
  const auto it = std::find_if(steps.begin(), steps.end(), [&](const LerobotStep& step) { return step.name == name; });
  return it == steps.end() ? nullptr : &*it;
}

Result<const LerobotStep*> require_step(const std::vector<LerobotStep>& steps, std::string_view name,
                                        const std::string& file) {
  if (const LerobotStep* step = find_step(steps, name)) return step;
  std::vector<std::string> names;
  for (const LerobotStep& step : steps) names.push_back(step.name);
  return fail(Code::not_found, file + ": steps", "the step " + std::string(name),
              names.empty() ? "none" : list_names(names),
              "do pipeline and weights belong to one version? N1.5 packs with groot_pack_inputs_v3, N1.7 with "
              "groot_n1_7_pack_inputs_v1");
}

Status refuse_relative_actions(const std::vector<LerobotStep>& steps) {
  const LerobotStep* step = find_step(steps, "relative_actions_processor");
  if (!step) return {};
  RAMET_TRY(const bool enabled, step->config.get_or("enabled", false));
  if (!enabled) return {};
  return fail(Code::unsupported, step->config.where() + ".enabled", "false", "true",
              "which actions are relative is read from groot_n1_7_action_decode_v1 only");
}

Result<std::vector<std::string>> camera_features(const Json& config, std::string_view prefix) {
  RAMET_TRY(const Json features, config.at("input_features"));
  RAMET_TRY(const auto items, features.items());
  std::vector<std::string> cameras;
  for (const auto& [name, feature] : items)
    if (name.starts_with(prefix)) cameras.push_back(name);
  if (!cameras.empty()) return cameras;
  return fail(Code::invalid_file, features.where(), fmt::format("at least one {} feature", prefix), "none");
}

Result<KeyStatistics> read_flat_statistics(const std::filesystem::path& directory, const LerobotStep& step,
                                           const std::string& feature) {
  const std::filesystem::path name(step.state_file);
  if (name.empty() || name.filename() != name)
    return fail(Code::invalid_file, step.where + ".state_file", "the name of a file of tensors in this directory",
                "\"" + step.state_file + "\"", "the statistics of this robot are missing");
  RAMET_TRY(const SafetensorsFile file, SafetensorsFile::open(directory / name));
  KeyStatistics statistics{.where = fmt::format("{}: {}", file.name(), feature), .rows = {}};
  for (const Statistic statistic : {Statistic::min, Statistic::max}) {
    RAMET_TRY(const ConstView view, file.view(fmt::format("{}.{}", feature, ramet::name(statistic))));
    RAMET_TRY(const Buffer values, to_f32(view));
    const auto flat = values.flat<float>();
    statistics.rows[static_cast<size_t>(statistic)] = {1, values.shape().elements(), {flat.begin(), flat.end()}};
  }
  RAMET_TRY_STATUS(check_flat(statistics));
  return statistics;
}

}  // namespace ramet
