#include "policy/gr00t_n15_inspection.h"

#include "policy/gr00t_n15/files.h"
#include "policy/gr00t_n15_sizes.h"
#include "policy/inspection.h"
#include "weights/checkpoint_kind.h"

#include <fmt/format.h>

#include <numeric>

namespace ramet {
namespace {

ModalityKey describe(const KeyTransform& key, bool is_action) {
  const KeySteps& steps = key.steps();
  return {.key = key.key(),
          .dims = key.raw_dims(),
          .normalization = steps.sin_cos ? "sin_cos" : std::string(name(steps.normalization)),
          .representation = is_action ? "absolute" : ""};
}

std::vector<int64_t> steps(int64_t count) {
  std::vector<int64_t> indices(static_cast<size_t>(count));
  std::iota(indices.begin(), indices.end(), 0);
  return indices;
}

// Under the only preset that fits; which one that is depends on the user where several do.
EmbodimentInfo describe(const N15Files& files, const std::string& tag, const Gr00tN15Config& config) {
  EmbodimentInfo info;
  info.tag = tag;
  info.video_delta_indices = info.state_delta_indices = {0};
  info.action_delta_indices = steps(config.action_horizon);
  info.action_horizon = config.action_horizon;
  const auto robot = [&]() -> Result<N15Robot> {
    RAMET_TRY(const RobotMetadata metadata, files.robots.find(tag));
    info.slot = metadata.slot;
    return files.robot(tag, "", {config.max_state_dim, config.max_action_dim});
  }();
  if (robot) return describe_embodiment(*robot);
  info.problem = robot.error().message();
  return info;
}

void describe_model(const Gr00tN15Config& c, const char* source, Inspection& inspection) {
  const auto add = [&](const char* key, int64_t value) {
    inspection.settings.push_back({key, fmt::format("{}", value), source});
  };
  add("action_horizon", c.action_horizon);
  add("action_head_cfg.max_state_dim", c.max_state_dim);
  add("action_head_cfg.action_dim", c.max_action_dim);
  add("action_head_cfg.num_inference_timesteps", c.num_inference_timesteps);
  add("action_head_cfg.num_target_vision_tokens", c.num_target_vision_tokens);
  add("backbone_cfg.select_layer", c.select_layer);
  add("action_head_cfg.diffusion_model_cfg.num_layers", c.diffusion_model_cfg.num_layers);
  add("action_head_cfg.vl_self_attention_cfg.num_layers", c.vl_self_attention_cfg.num_layers);
}

}  // namespace

EmbodimentInfo describe_embodiment(const N15Robot& robot) {
  EmbodimentInfo info;
  info.tag = robot.tag();
  info.slot = robot.slot();
  info.video_delta_indices = info.state_delta_indices = {0};
  info.action_delta_indices = steps(robot.horizon());
  info.action_horizon = robot.horizon();
  info.cameras = robot.config().video;
  info.language_keys = {robot.config().language};
  for (const KeyTransform& key : robot.state()) info.state.push_back(describe(key, false));
  for (const KeyTransform& key : robot.actions()) info.action.push_back(describe(key, true));
  return info;
}

Status inspect_gr00t_n15(const std::filesystem::path& directory, const Checkpoint& checkpoint, Inspection& inspection) {
  const std::filesystem::path config_file = directory / "config.json";
  for (const auto& path : missing_n15_files(directory)) inspection.missing.push_back(path.string());
  RAMET_TRY(const std::optional<Gr00tN15Config> stated, load_n15_config(directory));
  RAMET_TRY(const Gr00tN15Config config, load_gr00t_n15_config(directory, checkpoint));
  describe_model(config, stated ? "config.json" : "tensors", inspection);
  RAMET_TRY(const Gr00tN15Sizes sizes,
            checked_gr00t_n15_sizes(config, config_file.string(), checkpoint, config.action_horizon));
  WeightClaims claims(checkpoint);
  Gr00tN15Model(claims, sizes);
  describe_weights(claims, inspection);
  RAMET_TRY_STATUS(claims.finish());
  RAMET_TRY(const N15Files files, load_n15_files(directory));
  const std::string_view stored_prefix = inspection.layout == "lerobot" ? kLeRobotPrefix : "";
  RAMET_TRY_STATUS(check_n15_layout(files, stored_prefix, directory));
  for (const std::string& tag : files.robots.tags()) inspection.embodiments.push_back(describe(files, tag, config));
  return {};
}

}  // namespace ramet
