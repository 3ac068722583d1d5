#include "policy/gr00t_n16_inspection.h"

#include "policy/gr00t_n16_sizes.h"
#include "policy/inspection.h"
#include "policy/robot/gr00t_n16_files.h"
#include "policy/robot_inspection.h"

#include <fmt/format.h>

namespace ramet {
namespace {

void add_setting(Inspection& inspection, const char* key, int64_t value, const char* source) {
  inspection.settings.push_back({key, fmt::format("{}", value), source});
}

void describe_model(const Gr00tN16Config& c, Inspection& inspection) {
  constexpr auto kSource = "config.json";
  add_setting(inspection, "action_horizon", c.action_horizon, kSource);
  add_setting(inspection, "max_action_dim", c.max_action_dim, kSource);
  add_setting(inspection, "max_state_dim", c.max_state_dim, kSource);
  add_setting(inspection, "num_inference_timesteps", c.num_inference_timesteps, kSource);
  add_setting(inspection, "select_layer", c.select_layer, kSource);
  add_setting(inspection, "diffusion_model_cfg.num_layers", c.diffusion_model_cfg.num_layers, kSource);
}

void describe_backbone(const EagleBackboneSizes& sizes, Inspection& inspection) {
  constexpr auto kSource = "tensors";
  add_setting(inspection, "vision.hidden_size", sizes.vision.hidden_size, kSource);
  add_setting(inspection, "vision.num_heads", sizes.vision.num_heads, kSource);
  add_setting(inspection, "vision.depth", sizes.vision.depth, kSource);
  add_setting(inspection, "text.hidden_size", sizes.text.hidden_size, kSource);
  add_setting(inspection, "text.num_attention_heads", sizes.text.num_attention_heads, kSource);
}

}  // namespace

Status inspect_gr00t_n16(const std::filesystem::path& directory, const Checkpoint& checkpoint, Inspection& inspection) {
  RAMET_TRY(const Gr00tN16Files files, load_gr00t_n16_files(directory));
  for (const auto& path : files.missing) inspection.missing.push_back(path.string());
  describe_model(files.model, inspection);
  if (files.processor) {
    for (const auto& [tag, modality] : files.processor->modality_configs) {
      EmbodimentInfo info = describe_embodiment(tag, modality, make_robot(files, tag), *files.processor);
      if (!files.statistics) info.problem = "no statistics";
      inspection.embodiments.push_back(std::move(info));
    }
  }

  RAMET_TRY(const Gr00tN16Sizes sizes,
            checked_gr00t_n16_sizes(files.model, (directory / "config.json").string(), checkpoint));
  describe_backbone(sizes.backbone, inspection);
  WeightClaims claims(checkpoint);
  Gr00tN16Model(claims, sizes);
  describe_weights(claims, inspection);
  RAMET_TRY_STATUS(claims.finish());
  return require_complete(files.missing);
}

}  // namespace ramet
