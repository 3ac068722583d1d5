#include "policy/robot/robot.h"

#include <fmt/format.h>

namespace ramet {
namespace {

Status check_at_most(const std::string& where, std::string_view limit, int64_t allowed, int64_t found) {
  if (found <= allowed) return {};
  return fail(Code::shape_mismatch, where, fmt::format("at most {}, the {}", allowed, limit), fmt::format("{}", found));
}

Status check_equal(const std::string& where, std::string_view rule, int64_t expected, int64_t found) {
  if (found == expected) return {};
  return fail(Code::shape_mismatch, where, fmt::format("{}, the {}", expected, rule), fmt::format("{}", found));
}

Status check_fit(const Robot& robot, const ProcessorConfig& processor, const ModelLimits& model) {
  const std::string modality = processor.where + ".modality_configs." + robot.tag;
  const std::string action = modality + ".action.delta_indices";
  const int64_t horizon = robot.actions.horizon();
  RAMET_TRY_STATUS(
      check_at_most(action, "max_action_horizon of processor_config.json", processor.max_action_horizon, horizon));
  RAMET_TRY_STATUS(check_at_most(action, "action_horizon of config.json", model.action_horizon, horizon));
  RAMET_TRY_STATUS(check_at_most(modality + ".action.modality_keys: their columns", "max_action_dim of config.json",
                                 model.max_action_dim, robot.actions.columns()));
  if (model.state_history_length)
    RAMET_TRY_STATUS(check_equal(modality + ".state.delta_indices", "state_history_length of config.json",
                                 *model.state_history_length, robot.state.history()));
  return check_equal(processor.where + ".max_state_dim", "max_state_dim of config.json", model.max_state_dim,
                     processor.max_state_dim);
}

}  // namespace

Status Robot::check(const Observation& observation) const {
  RAMET_TRY_STATUS(ramet::check(observation, modality));
  return state.check(observation.state, observation.name);
}

Result<Robot> make_robot(const RobotFiles& files, std::string_view name) {
  RAMET_TRY_STATUS(require_complete(files));
  const Gr00tN17Config& model = files.model;
  return make_robot({.processor = *files.processor,
                     .statistics = *files.statistics,
                     .embodiments = files.embodiments,
                     .limits = {.max_num_embodiments = model.max_num_embodiments,
                                .action_horizon = model.action_horizon,
                                .max_state_dim = model.max_state_dim,
                                .max_action_dim = model.max_action_dim,
                                .state_history_length = model.state_history_length}},
                    name);
}

Result<Robot> make_robot(const RobotParts& parts, std::string_view name) {
  const ProcessorConfig& processor = parts.processor;
  RAMET_TRY(const std::string tag, resolve_tag(name, processor.tags()));
  const ModalityConfig& modality = processor.modality_configs.at(tag);
  RAMET_TRY(const int64_t slot, parts.embodiments.slot(tag, parts.limits.max_num_embodiments));
  RAMET_TRY(StateProcessor state, StateProcessor::make(processor, modality.state, parts.statistics, tag));
  RAMET_TRY(ActionDecoder actions, ActionDecoder::make(processor, modality, parts.statistics, tag));
  Robot robot{tag, slot, modality, std::move(state), std::move(actions)};
  RAMET_TRY_STATUS(check_fit(robot, processor, parts.limits));
  return robot;
}

}  // namespace ramet
