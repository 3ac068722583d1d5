#include "inspection_report.h"

#include <nlohmann/json.hpp>

namespace ramet::cli {
namespace {

using nlohmann::ordered_json;

template <class T, class ToJson>
ordered_json list_of(std::span<const T> items, ToJson to_json) {
  ordered_json list = ordered_json::array();
  for (const T& item : items) list.push_back(to_json(item));
  return list;
}

ordered_json state_key(const ModalityKey& key) {
  return {{"key", key.key}, {"dims", key.dims}, {"normalization", key.normalization}, {"unit", key.unit}};
}

ordered_json action_key(const ModalityKey& key) {
  ordered_json document = state_key(key);
  document["representation"] = key.representation;
  return document;
}

ordered_json embodiment(const EmbodimentInfo& robot) {
  return {{"tag", robot.tag},
          {"slot", robot.slot},
          {"cameras", robot.cameras},
          {"video_delta_indices", robot.video_delta_indices},
          {"state_delta_indices", robot.state_delta_indices},
          {"action_horizon", robot.action_horizon},
          {"state", list_of(std::span(robot.state), state_key)},
          {"action", list_of(std::span(robot.action), action_key)},
          {"language_key", robot.language_key()},
          {"problem", robot.problem}};
}

ordered_json category(const CategoryInfo& info) {
  return {
      {"category", info.category}, {"tensors", info.tensors}, {"parameters", info.parameters}, {"bytes", info.bytes}};
}

ordered_json tensor(const TensorInfo& info) {
  return {{"name", info.name}, {"dtype", info.dtype},       {"shape", info.shape},
          {"file", info.file}, {"category", info.category}, {"bytes", info.bytes}};
}

ordered_json setting(const Setting& setting) {
  return {{"name", setting.name}, {"value", setting.value}, {"source", setting.source}};
}

ordered_json bytes_by_mode(const Inspection& inspection) {
  ordered_json modes = ordered_json::object();
  for (const auto& [mode, bytes] : inspection.bytes_by_mode) modes[mode] = bytes;
  return modes;
}

ordered_json plan(const ExecutionPlan& plan) {
  return {{"layout", plan.layout},
          {"meaning", plan.meaning},
          {"weights_bytes", plan.weights_bytes},
          {"arena_bytes", plan.arena_bytes}};
}

ordered_json site(const SiteInfo& site) {
  return {{"site", site.site}, {"precision", site.precision}, {"shape", site.shape}};
}

}  // namespace

ordered_json to_json(const Inspection& inspection, const InspectionView& view) {
  ordered_json document{{"version", inspection.version},
                        {"layout", inspection.layout},
                        {"files", inspection.files},
                        {"missing", inspection.missing},
                        {"surplus", inspection.surplus},
                        {"problems", inspection.problems},
                        {"embodiments", list_of(std::span(inspection.embodiments), embodiment)},
                        {"categories", list_of(std::span(inspection.categories), category)},
                        {"weight_bytes", inspection.weight_bytes},
                        {"bytes_by_mode", bytes_by_mode(inspection)},
                        {"settings", list_of(std::span(inspection.settings), setting)},
                        {"quirks", list_of(std::span(inspection.quirks), setting)},
                        {"options", list_of(view.options, setting)}};
  if (view.tensors) document["tensors"] = list_of(std::span(inspection.tensors), tensor);
  if (!view.plans.empty()) document["plans"] = list_of(view.plans, plan);
  if (view.sites && !view.plans.empty()) document["sites"] = list_of(std::span(view.plans.front().sites), site);
  return document;
}

}  // namespace ramet::cli
