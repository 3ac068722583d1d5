#include "policy/robot_inspection.h"

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
  if (field.config.rep == ActionRepresentation::delta) return "delta";
  if (!field.is_relative) return "absolute";
  return field.config.type == ActionType::eef ? "relative_eef" : "relative";
}

void describe_keys(const Robot& robot, bool use_percentiles, EmbodimentInfo& info) {
  for (const StateField& field : robot.state.fields())
    info.state.push_back(
        {.key = field.key, .dims = field.dims, .normalization = normalization(field.rule, use_percentiles)});
  for (const ActionField& field : robot.actions.fields())
    info.action.push_back({.key = field.key,
                           .dims = field.dims,
                           .normalization = normalization(field, use_percentiles),
                           .representation = representation(field),
                           .action_type = field.config.type == ActionType::eef ? "EEF" : "NON_EEF",
                           .action_format = std::string(name(field.config.format)),
                           .reference_state = field.config.state_key});
}

EmbodimentInfo describe_modalities(const std::string& tag, const ModalityConfig& modality) {
  EmbodimentInfo info;
  info.tag = tag;
  info.video_delta_indices = modality.video.delta_indices;
  info.state_delta_indices = modality.state.delta_indices;
  info.action_delta_indices = modality.action.delta_indices;
  info.action_horizon = modality.action.horizon();
  info.cameras = modality.video.modality_keys;
  info.language_keys = modality.language.modality_keys;
  return info;
}

}  // namespace

EmbodimentInfo describe_embodiment(const Robot& robot, const ProcessorConfig& processor) {
  EmbodimentInfo info = describe_modalities(robot.tag, robot.modality);
  info.slot = robot.slot;
  describe_keys(robot, processor.use_percentiles, info);
  return info;
}

EmbodimentInfo describe_embodiment(const std::string& tag, const ModalityConfig& modality, const Result<Robot>& robot,
                                   const ProcessorConfig& processor) {
  if (robot) return describe_embodiment(*robot, processor);
  EmbodimentInfo info = describe_modalities(tag, modality);
  info.problem = robot.error().message();
  return info;
}

}  // namespace ramet
