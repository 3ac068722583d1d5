#include "policy/gr00t_n17_inspection.h"

#include "policy/gr00t_n17_sizes.h"
#include "policy/inspection.h"
#include "policy/robot_inspection.h"

#include <fmt/format.h>

namespace ramet {
namespace {

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
  if (files.processor) {
    for (const auto& [tag, modality] : files.processor->modality_configs) {
      EmbodimentInfo info = describe_embodiment(tag, modality, make_robot(files, tag), *files.processor);
      if (!files.statistics) info.problem = "no statistics";
      inspection.embodiments.push_back(std::move(info));
    }
  }

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
