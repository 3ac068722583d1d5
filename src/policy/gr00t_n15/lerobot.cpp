#include "policy/gr00t_n15/lerobot.h"

#include "policy/robot/checked_json.h"
#include "policy/robot/embodiment.h"
#include "policy/robot/lerobot_pipeline.h"
#include "weights/checkpoint_kind.h"

#include <fmt/format.h>

namespace ramet {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPackStep = "groot_pack_inputs_v3";
constexpr std::string_view kEncodeStep = "groot_eagle_encode_v3";
constexpr std::string_view kUnpackStep = "groot_action_unpack_unnormalize_v1";
constexpr IntRange kWidth{1, 4096};

// Of a pipeline that was saved without its own.
EmbodimentIds lerobot_slots() {
  EmbodimentIds ids;
  ids.slots = {{"new_embodiment", 31}, {"oxe_droid", 17}, {"agibot_genie1", 26}, {"gr1", 24},
               {"so100", 2},           {"unitree_g1", 3}};
  return ids;
}

Result<int64_t> slot_of(const std::string& tag, const Json& pack) {
  EmbodimentIds ids = lerobot_slots();
  if (pack.has("embodiment_mapping")) {
    RAMET_TRY(const Json mapping, pack.at("embodiment_mapping"));
    RAMET_TRY(ids, parse_embodiment_ids(mapping, {}));
  }
  const auto it = ids.slots.find(tag);
  return it == ids.slots.end() ? 0 : it->second;
}

Result<std::vector<std::string>> cameras_of(const Json& config) {
  auto cameras = camera_features(config, "observation.images.");
  return cameras ? cameras : camera_features(config, "observation.image");
}

Result<int64_t> feature_width(const Json& config, std::string_view group, std::string_view feature) {
  RAMET_TRY(const Json features, config.at(group));
  RAMET_TRY(const Json node, features.at(feature));
  RAMET_TRY(const Json shape, node.at("shape"));
  RAMET_TRY(const std::vector<Json> dims, shape.elements());
  if (dims.size() == 1) return int_in_range(dims.front(), kWidth);
  return fail(Code::invalid_file, shape.where(), "one dimension", fmt::format("{} dimensions", dims.size()));
}

// A vector of the robot, which is the only key of its group.
struct FlatKey {
  StatisticsGroup group;
  std::string key, feature;
  int64_t dims;
};

class Reader {
 public:
  Reader(const fs::path& directory, const std::string& tag) : directory_(directory) {
    robot_.where = "policy_preprocessor.json";
    robot_.tag = tag;
    robot_.statistics = Statistics(robot_.where);
  }

  Status read_slot(const Json& pack) {
    RAMET_TRY(robot_.slot, slot_of(robot_.tag, pack));
    return {};
  }

  Status read_key(const LerobotStep& step, const FlatKey& flat) {
    const bool is_state = flat.group == StatisticsGroup::state;
    (is_state ? robot_.state : robot_.action)[flat.key] = {
        .where = fmt::format("{}: {}", step.where, flat.feature), .rotation = {}, .dims = flat.dims};
    RAMET_TRY(const bool normalize, step.config.get_or("normalize_min_max", true));
    KeySteps steps{.key = flat.key, .rotation = {}};
    if (normalize) {
      steps.normalization = NormalizerMode::min_max;
      RAMET_TRY(KeyStatistics bounds, read_flat_statistics(directory_, step, flat.feature));
      if (bounds.dims() != flat.dims)
        return fail(Code::shape_mismatch, bounds.where,
                    fmt::format("{} columns, as config.json and the step say", flat.dims),
                    fmt::format("{}", bounds.dims()));
      robot_.statistics.set(robot_.tag, flat.group, flat.key, std::move(bounds));
    }
    (is_state ? data_config_.state : data_config_.action).push_back(std::move(steps));
    return {};
  }

  Status read_cameras(const Json& config) {
    RAMET_TRY(data_config_.video, cameras_of(config));
    for (const std::string& view : data_config_.video) robot_.video[view] = std::nullopt;
    return {};
  }

  N15Files take() {
    data_config_.name = robot_.where;
    data_config_.language = "task";
    N15Files files;
    files.container_prefix = kLeRobotPrefix;
    files.robots = MetadataFile(std::move(robot_));
    files.data_config = std::move(data_config_);
    files.preprocessing = {.frame = &lerobot_frame,
                           .default_instruction = "Perform the task.",
                           .default_is_plain = false,
                           .empty_is_none = true};
    return files;
  }

 private:
  const fs::path& directory_;
  RobotMetadata robot_;
  DataConfig data_config_;
};

// What the step says, or else config.json.
Result<int64_t> action_width(const Json& unpack, const Json& config) {
  RAMET_TRY(const int64_t width, int_or(unpack, "env_action_dim", 0, {0, kWidth.max}));
  if (width > 0) return width;
  return feature_width(config, "output_features", "action");
}

}  // namespace

Result<N15Files> load_n15_lerobot(const fs::path& directory, const Json& config) {
  RAMET_TRY(const JsonFile before, JsonFile::load(directory / "policy_preprocessor.json"));
  RAMET_TRY(const JsonFile after, JsonFile::load(directory / "policy_postprocessor.json"));
  RAMET_TRY(const std::vector<LerobotStep> preprocessor, read_steps(before.root()));
  RAMET_TRY(const std::vector<LerobotStep> postprocessor, read_steps(after.root()));
  RAMET_TRY_STATUS(refuse_relative_actions(preprocessor));
  RAMET_TRY(const LerobotStep* pack, require_step(preprocessor, kPackStep, before.name()));
  RAMET_TRY_STATUS(require_step(preprocessor, kEncodeStep, before.name()));
  RAMET_TRY(const LerobotStep* unpack, require_step(postprocessor, kUnpackStep, after.name()));
  RAMET_TRY(const std::string tag, pack->config.get_or<std::string>("embodiment_tag", "new_embodiment"));
  RAMET_TRY(const int64_t state, feature_width(config, "input_features", "observation.state"));
  RAMET_TRY(const int64_t action, action_width(unpack->config, config));
  Reader reader(directory, tag);
  RAMET_TRY_STATUS(reader.read_slot(pack->config));
  RAMET_TRY_STATUS(reader.read_cameras(config));
  RAMET_TRY_STATUS(reader.read_key(*pack, {StatisticsGroup::state, "state", "observation.state", state}));
  RAMET_TRY_STATUS(reader.read_key(*unpack, {StatisticsGroup::action, "action", "action", action}));
  N15Files files = reader.take();
  RAMET_TRY(files.preprocessing.formalize_language, pack->config.get_or("formalize_language", false));
  return files;
}

}  // namespace ramet
