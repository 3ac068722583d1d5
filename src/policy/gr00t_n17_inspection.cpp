#include "policy/gr00t_n17_inspection.h"

#include "policy/gr00t_n17_sizes.h"
#include "policy/inspection.h"
#include "policy/robot/robot.h"

#include <fmt/format.h>

namespace ramet {
namespace {

std::string normalization(StateField::Rule rule, bool use_percentiles) {
  switch (rule) {
    case StateField::Rule::sin_cos: return "sin_cos";
    case StateField::Rule::mean_std: return "mean_std";
    case StateField::Rule::bounds: break;
  }
  return use_percentiles ? "percentiles" : "min_max";
}

std::string normalization(const ActionField& field, bool use_percentiles) {
  if (field.rule == ActionField::Rule::mean_std) return "mean_std";
  return use_percentiles && !field.is_relative ? "percentiles" : "min_max";
}

std::string representation(const ActionField& field) {
  if (!field.is_relative) return "absolute";
  return field.config.type == ActionType::eef ? "relative_eef" : "relative";
}

void describe_keys(const Robot& robot, bool use_percentiles, EmbodimentInfo& info) {
  for (const StateField& field : robot.state.fields())
    info.state.push_back({.key = field.key,
                          .dims = field.dims,
                          .normalization = normalization(field.rule, use_percentiles),
                          .representation = {},
                          .unit = {}});
  for (const ActionField& field : robot.actions.fields())
    info.action.push_back({.key = field.key,
                           .dims = field.dims,
                           .normalization = normalization(field, use_percentiles),
                           .representation = representation(field),
                           .unit = {}});
}

EmbodimentInfo describe(const RobotFiles& files, const std::string& tag, const ModalityConfig& modality) {
  EmbodimentInfo info;
  info.tag = tag;
  info.video_delta_indices = modality.video.delta_indices;
  info.state_delta_indices = modality.state.delta_indices;
  info.action_horizon = modality.action.horizon();
  info.cameras = modality.video.modality_keys;
  if (!modality.language.modality_keys.empty()) info.language_key = modality.language.modality_keys.front();
  if (!files.statistics) {
    info.problem = "no statistics";
    return info;
  }
  const auto robot = make_robot(files, tag);
  if (!robot) {
    info.problem = robot.error().message();
    return info;
  }
  info.slot = robot->slot;
  describe_keys(*robot, files.processor->use_percentiles, info);
  return info;
}

void describe_model(const Gr00tN17Config& c, Inspection& inspection) {
  const auto add = [&](const char* key, int64_t value) {
    inspection.settings.push_back({key, fmt::format("{}", value), "config.json"});
  };
  add("action_horizon", c.action_horizon);
  add("max_action_dim", c.max_action_dim);
  add("max_state_dim", c.max_state_dim);
  add("state_history_length", c.state_history_length);
  add("num_inference_timesteps", c.num_inference_timesteps);
  add("select_layer", c.select_layer);
  add("diffusion_model_cfg.num_layers", c.diffusion_model_cfg.num_layers);
  add("vl_self_attention_cfg.num_layers", c.vl_self_attention_cfg.num_layers);
}

}  // namespace

Status inspect_gr00t_n17(const std::filesystem::path& directory, const EngineOptions& options,
                         const Checkpoint& checkpoint, Inspection& inspection) {
  WeightClaims claims(checkpoint);
  RAMET_TRY(const RobotFiles files, load_robot_files(directory));
  for (const auto& path : files.missing) inspection.missing.push_back(path.string());
  describe_model(files.model, inspection);
  if (files.processor)
    for (const auto& [tag, modality] : files.processor->modality_configs)
      inspection.embodiments.push_back(describe(files, tag, modality));

  const std::string model_name = files.processor ? files.processor->model_name : files.model.model_name;
  RAMET_TRY(const BackboneConfig backbone, find_backbone_config({.chosen = options.backbone,
                                                                 .checkpoint = directory,
                                                                 .hub_cache = options.hub_cache,
                                                                 .model_name = model_name}));
  inspection.settings.push_back({"backbone", model_name, backbone.source});
  RAMET_TRY(const Gr00tN17Sizes sizes,
            checked_gr00t_n17_sizes(files.model, (directory / "config.json").string(), backbone, checkpoint));
  Gr00tN17Model(claims, sizes);
  describe_weights(claims, inspection);
  RAMET_TRY_STATUS(claims.finish());
  return require_complete(files);
}

}  // namespace ramet
