#include "policy/robot/lerobot_files.h"

#include "policy/robot/checked_json.h"
#include "policy/robot/lerobot_pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace ramet {
namespace {

constexpr std::string_view kPackStep = "groot_n1_7_pack_inputs_v1";
constexpr std::string_view kEncodeStep = "groot_n1_7_vlm_encode_v1";
constexpr std::string_view kDecodeStep = "groot_n1_7_action_decode_v1";
constexpr std::string_view kUnpackStep = "groot_action_unpack_unnormalize_v2";

KeyStatistics columns_of(const KeyStatistics& flat, int64_t first, int64_t dims) {
  KeyStatistics key{.where = flat.where, .rows = {}};
  for (const Statistic statistic : {Statistic::min, Statistic::max}) {
    const auto& values = flat.rows[static_cast<size_t>(statistic)].values;
    key.rows[static_cast<size_t>(statistic)] = {1, dims, {values.begin() + first, values.begin() + first + dims}};
  }
  return key;
}

class Reader {
 public:
  Reader(const std::filesystem::path& directory, const Json& config, const LerobotStep& pack)
      : directory_(directory), config_(config), pack_(pack) {}

  Status read(const LerobotStep& encode, const LerobotStep* decode, const LerobotStep* unpack) {
    RAMET_TRY_STATUS(read_flags());
    RAMET_TRY_STATUS(read_embodiment());
    RAMET_TRY_STATUS(read_images(encode.config));
    const bool has_robot = pack_.config.has("modality_config") && pack_.config.has("raw_stats");
    if (decode && !has_robot)
      return fail(Code::invalid_file, pack_.config.where(), "modality_config and raw_stats", "null");
    RAMET_TRY(modality_, has_robot ? read_modality() : plain_modality());
    RAMET_TRY_STATUS(order_cameras());
    if (has_robot) RAMET_TRY_STATUS(read_raw_statistics());
    RAMET_TRY_STATUS(decode ? read_decode(decode->config) : read_unpack(unpack->config));
    processor_.modality_configs.emplace(tag_, std::move(modality_));
    return {};
  }

  LerobotProcessors take() { return {std::move(processor_), std::move(statistics_), std::move(embodiments_)}; }

 private:
  Status read_flags() {
    const Json& pack = pack_.config;
    RAMET_TRY(tag_, pack.get_or<std::string>("embodiment_tag", "new_embodiment"));
    RAMET_TRY(processor_.max_state_dim, int_or(pack, "max_state_dim", 132));
    RAMET_TRY(processor_.max_action_dim, int_or(pack, "max_action_dim", 132));
    RAMET_TRY(processor_.max_action_horizon, int_or(pack, "action_horizon", 40));
    RAMET_TRY(processor_.formalize_language, pack.get_or("formalize_language", true));
    RAMET_TRY(processor_.clip_outliers, pack.get_or("clip_outliers", true));
    processor_.default_instruction = "Perform the task.";
    return require_true(pack, "normalize_min_max");
  }

  Status require_true(const Json& object, std::string_view key) {
    RAMET_TRY(const bool on, object.get_or(key, true));
    if (on) return {};
    return fail(Code::unsupported, fmt::format("{}.{}", object.where(), key), "true", "false");
  }

  Status read_embodiment() {
    embodiments_ = builtin_embodiment_ids();
    if (pack_.config.has("embodiment_mapping")) {
      RAMET_TRY(const Json mapping, pack_.config.at("embodiment_mapping"));
      RAMET_TRY(embodiments_, parse_embodiment_ids(mapping));
    }
    embodiments_.fallback = 0;
    return {};
  }

  Status read_images(const Json& encode) {
    processor_.where = encode.where();
    RAMET_TRY(processor_.model_name, encode.get_or("model_name", processor_.model_name));
    EvalTransformOptions defaults;
    defaults.shortest_image_edge.reset();
    defaults.crop_fraction.reset();
    RAMET_TRY(processor_.image, parse_image_options(encode, defaults));
    if (processor_.image.use_albumentations) return {};
    return fail(Code::unsupported, encode.where() + ".use_albumentations", "true", "false",
                "LeRobot's own geometry of pictures is not implemented");
  }

  Result<ModalityConfig> read_modality() {
    RAMET_TRY(const Json node, pack_.config.at("modality_config"));
    RAMET_TRY(ModalityConfig modality, parse_modality_config(node));
    for (Modality* part : {&modality.state, &modality.action}) {
      part->mean_std_embedding_keys.clear();
      part->sin_cos_embedding_keys.clear();
    }
    return modality;
  }

  Result<ModalityConfig> plain_modality() {
    ModalityConfig modality;
    modality.state = {.delta_indices = {0}, .modality_keys = {"state"}};
    modality.action = {.delta_indices = {}, .modality_keys = {"action"}};
    modality.language = {.delta_indices = {0}, .modality_keys = {"task"}};
    modality.action_configs = {ActionConfig{.state_key = "action"}};
    RAMET_TRY(const int64_t rows,
              int_or(pack_.config, "valid_action_horizon", processor_.max_action_horizon, {1, 1024}));
    modality.action.delta_indices.resize(static_cast<size_t>(rows));
    std::iota(modality.action.delta_indices.begin(), modality.action.delta_indices.end(), 0);
    RAMET_TRY(const int64_t frames, int_or(pack_.config, "video_horizon", 1, {1, 1024}));
    for (int64_t i = 1 - frames; i <= 0; ++i) modality.video.delta_indices.push_back(i);
    RAMET_TRY(modality.video.modality_keys, camera_features(config_, "observation.image"));
    return modality;
  }

  Status order_cameras() {
    if (pack_.config.has("video_modality_keys")) {
      RAMET_TRY(const Json list, pack_.config.at("video_modality_keys"));
      RAMET_TRY(modality_.video.modality_keys, unique_names(list));
    }
    const int64_t frames = modality_.video.horizon();
    RAMET_TRY(const int64_t horizon, int_or(pack_.config, "video_horizon", frames));
    if (!modality_.video.modality_keys.empty() && horizon == frames) return {};
    return fail(Code::invalid_file, pack_.config.where() + ".video_horizon",
                fmt::format("{}, as modality_config.video says, and at least one camera", frames),
                fmt::format("{}", horizon));
  }

  Status read_raw_statistics() {
    RAMET_TRY(const Json raw, pack_.config.at("raw_stats"));
    RAMET_TRY(statistics_, Statistics::parse_robot(tag_, raw));
    return {};
  }

  Status read_decode(const Json& decode) {
    RAMET_TRY(processor_.use_percentiles, decode.get_or("use_percentiles", false));
    RAMET_TRY(processor_.use_relative_action, decode.get_or("use_relative_action", false));
    RAMET_TRY(const std::string transform, decode.get_or<std::string>("action_decode_transform", "none"));
    if (enum_name(transform) == "LIBERO") processor_.action_transform = ActionTransform::libero;
    if (transform.empty() || enum_name(transform) == "NONE" || enum_name(transform) == "LIBERO") return {};
    return fail(Code::unsupported, decode.where() + ".action_decode_transform", "none or libero", transform);
  }

  Status read_unpack(const Json& unpack) {
    RAMET_TRY_STATUS(require_true(unpack, "normalize_min_max"));
    RAMET_TRY(processor_.clip_normalized_action, unpack.get_or("clip_normalized_action", false));
    RAMET_TRY(const bool gripper, unpack.get_or("libero_gripper_action", false));
    if (gripper) {
      processor_.action_transform = ActionTransform::libero;
      RAMET_TRY_STATUS(require_true(unpack, "libero_gripper_binarize"));
    }
    RAMET_TRY_STATUS(split_flat("observation.state", StatisticsGroup::state, modality_.state));
    return split_flat("action", StatisticsGroup::action, modality_.action);
  }

  // The flat columns go to the keys in their order; a single key takes them all.
  Status split_flat(const std::string& feature, StatisticsGroup group, const Modality& modality) {
    RAMET_TRY(const KeyStatistics flat, read_flat_statistics(directory_, pack_, feature));
    int64_t first = 0;
    for (const std::string& key : modality.modality_keys) {
      RAMET_TRY(const int64_t dims, dims_of(group, key, flat.dims(), modality));
      if (dims > flat.dims() - first)
        return fail(Code::shape_mismatch, flat.where, fmt::format("at least {} columns", first + dims),
                    fmt::format("{}", flat.dims()));
      statistics_.set(tag_, group, key, columns_of(flat, first, dims));
      first += dims;
    }
    return {};
  }

  Result<int64_t> dims_of(StatisticsGroup group, const std::string& key, int64_t all, const Modality& modality) {
    if (modality.modality_keys.size() == 1) return all;
    RAMET_TRY(const KeyStatistics found, statistics_.find(tag_, group, key));
    if (found.dims() == 0) return tl::unexpected(found.require(Statistic::min).error());
    return found.dims();
  }

  const std::filesystem::path& directory_;
  const Json& config_;
  const LerobotStep& pack_;
  std::string tag_;
  ModalityConfig modality_;
  ProcessorConfig processor_;
  Statistics statistics_{"policy_preprocessor.json"};
  EmbodimentIds embodiments_;
};

}  // namespace

Result<LerobotProcessors> load_lerobot_processors(const std::filesystem::path& directory, const Json& config) {
  RAMET_TRY(const JsonFile before, JsonFile::load(directory / "policy_preprocessor.json"));
  RAMET_TRY(const JsonFile after, JsonFile::load(directory / "policy_postprocessor.json"));
  RAMET_TRY(const std::vector<LerobotStep> preprocessor, read_steps(before.root()));
  RAMET_TRY(const std::vector<LerobotStep> postprocessor, read_steps(after.root()));
  RAMET_TRY(const LerobotStep* pack, require_step(preprocessor, kPackStep, before.name()));
  RAMET_TRY(const LerobotStep* encode, require_step(preprocessor, kEncodeStep, before.name()));
  const LerobotStep* unpack = find_step(postprocessor, kUnpackStep);
  const LerobotStep* decode = find_step(postprocessor, kDecodeStep);
  if (!unpack) {
    RAMET_TRY(decode, require_step(postprocessor, kDecodeStep, after.name()));
  }
  RAMET_TRY_STATUS(refuse_relative_actions(preprocessor));
  Reader reader(directory, config, *pack);
  RAMET_TRY_STATUS(reader.read(*encode, decode, unpack));
  return reader.take();
}

}  // namespace ramet
