#include "policy/gr00t_n15/robot.h"

#include "base/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace ramet {
namespace {

template <class T>
bool has_exactly(const std::map<std::string, T>& known, const std::vector<std::string>& names) {
  return known.size() == names.size() &&
         std::all_of(names.begin(), names.end(), [&](const std::string& name) { return known.contains(name); });
}

std::vector<std::string> key_names(const std::vector<KeySteps>& keys) {
  std::vector<std::string> names;
  for (const KeySteps& key : keys) names.push_back(key.key);
  return names;
}

bool fits(const DataConfig& config, const RobotMetadata& robot) {
  return has_exactly(robot.video, config.video) && has_exactly(robot.state, key_names(config.state)) &&
         has_exactly(robot.action, key_names(config.action));
}

std::vector<std::string> fitting_presets(const RobotMetadata& robot) {
  std::vector<std::string> names;
  for (const std::string& name : data_config_presets())
    if (const auto config = load_data_config(name); config && fits(*config, robot)) names.push_back(name);
  return names;
}

std::string preset_hint(const RobotMetadata& robot) {
  const std::vector<std::string> names = fitting_presets(robot);
  if (names.empty()) return "no preset fits this robot: describe it in a JSON file";
  return "presets that fit this robot: " + list_names(names, names.size());
}

Result<std::vector<KeyTransform>> make_keys(const std::vector<KeySteps>& keys, const RobotMetadata& metadata,
                                            StatisticsGroup group) {
  std::vector<KeyTransform> transforms;
  for (const KeySteps& key : keys) {
    RAMET_TRY(KeyTransform transform, KeyTransform::make(key, metadata, group));
    transforms.push_back(std::move(transform));
  }
  return transforms;
}

int64_t total_columns(const std::vector<KeyTransform>& keys) {
  int64_t columns = 0;
  for (const KeyTransform& key : keys) columns += key.columns();
  return columns;
}

Status check_width(const DataConfig& config, const char* group, int64_t columns, int64_t limit) {
  if (columns <= limit) return {};
  return fail(Code::shape_mismatch, fmt::format("data configuration {}: {}", config.name, group),
              fmt::format("at most {} columns, the model's width", limit), fmt::format("{}", columns));
}

Result<std::optional<ImageSize>> find_view(const std::string& view, const RobotMetadata& metadata) {
  if (const auto it = metadata.video.find(view); it != metadata.video.end()) return it->second;
  std::vector<std::string> known;
  for (const auto& entry : metadata.video) known.push_back(entry.first);
  return fail(Code::not_found, metadata.where + ".modalities.video",
              fmt::format("the view {} of the data configuration", view), list_names(known, known.size()));
}

Status check_frames(const std::vector<ImageView>& frames, std::optional<ImageSize> size, const std::string& where) {
  if (!size) return {};
  for (const ImageView& frame : frames)
    if (const ImageSize found{frame.height, frame.width}; found != *size)
      return fail(Code::shape_mismatch, where, str(*size) + ", as in metadata.json", str(found),
                  "scale or pad the picture as the robot's data set did");
  return {};
}

// One row of the model's state.
Status check_row(const StateRows& rows, const KeyTransform& key, const std::string& where) {
  if (rows.size() != 1) return fail(Code::shape_mismatch, where, "one time step", fmt::format("{}", rows.size()));
  if (static_cast<int64_t>(rows.front().size()) != key.raw_dims())
    return fail(Code::shape_mismatch, where, fmt::format("{} numbers", key.raw_dims()),
                fmt::format("{}", rows.front().size()));
  for (const float value : rows.front())
    if (!std::isfinite(value)) return fail(Code::not_finite, where, "finite numbers", fmt::format("{}", value));
  return {};
}

}  // namespace

Result<N15Robot> N15Robot::make(const RobotMetadata& metadata, const DataConfig& config, const N15Widths& widths) {
  const auto explain = [&](Error error) {
    error.where = fmt::format("data configuration {}: {}", config.name, error.where);
    if (error.code == Code::not_found) error.hint = preset_hint(metadata);
    return error;
  };
  N15Robot robot;
  robot.tag_ = metadata.tag;
  robot.slot_ = metadata.slot;
  robot.widths_ = widths;
  robot.config_ = config;
  for (const std::string& view : config.video) {
    RAMET_TRY(robot.views_[view], find_view(view, metadata).map_error(explain));
  }
  RAMET_TRY(robot.state_, make_keys(config.state, metadata, StatisticsGroup::state).map_error(explain));
  RAMET_TRY(robot.actions_, make_keys(config.action, metadata, StatisticsGroup::action).map_error(explain));
  RAMET_TRY_STATUS(check_width(config, "state", total_columns(robot.state_), widths.max_state_dim));
  RAMET_TRY_STATUS(check_width(config, "action", total_columns(robot.actions_), widths.max_action_dim));
  return robot;
}

Status N15Robot::check_views(const Observation& observation) const {
  std::optional<size_t> count;
  for (const auto& [view, size] : views_) {
    const std::string where = fmt::format("{}: video.{}", observation.name, view);
    const auto it = observation.video.find(view);
    if (it == observation.video.end())
      return fail(Code::not_found, where, "a picture of this view", "none",
                  "the robot needs " + list_names(config_.video, config_.video.size()));
    const size_t frames = it->second.size();
    if (frames < 1 || frames > kMaxN15Frames)
      return fail(Code::shape_mismatch, where, fmt::format("1 to {} frames", kMaxN15Frames), fmt::format("{}", frames));
    if (frames != count.value_or(frames))
      return fail(Code::shape_mismatch, where, fmt::format("{} frames, as in the other views", *count),
                  fmt::format("{}", frames));
    count = frames;
    RAMET_TRY_STATUS(check_frames(it->second, size, where));
  }
  return {};
}

Status N15Robot::check_state(const Observation& observation) const {
  for (const KeyTransform& key : state_) {
    const std::string where = fmt::format("{}: state.{}", observation.name, key.key());
    const auto it = observation.state.find(key.key());
    if (it == observation.state.end()) {
      const std::vector<std::string> names = key_names(config_.state);
      return fail(Code::not_found, where, "this state key", "none",
                  "the robot needs " + list_names(names, names.size()));
    }
    RAMET_TRY_STATUS(check_row(it->second, key, where));
  }
  return {};
}

Status N15Robot::check(const Observation& observation) const {
  RAMET_TRY_STATUS(check_views(observation));
  return check_state(observation);
}

Result<Buffer> N15Robot::state_row(const RawState& state) const {
  RAMET_TRY(Buffer row, Buffer::make(DType::f32, {1, widths_.max_state_dim}));
  size_t column = 0;
  for (const KeyTransform& key : state_) {
    const auto columns = static_cast<size_t>(key.columns());
    key.forward(state.at(key.key()).front(), row.flat<float>().subspan(column, columns));
    column += columns;
  }
  return row;
}

Result<std::vector<Action>> N15Robot::decode(ConstView normalized) const {
  std::vector<Action> actions;
  int64_t column = 0;
  for (const KeyTransform& key : actions_) {
    RAMET_TRY(Buffer values, Buffer::make(DType::f32, {horizon(), key.raw_dims()}));
    for (int64_t step = 0; step < horizon(); ++step) {
      const std::span columns(normalized.row<float>(step) + column, static_cast<size_t>(key.columns()));
      key.inverse(columns, {values.view().row<float>(step), static_cast<size_t>(key.raw_dims())});
    }
    column += key.columns();
    actions.push_back({key.key(), std::move(values)});
  }
  return actions;
}

Result<DataConfig> choose_data_config(const std::string& name_or_file, const RobotMetadata& metadata) {
  if (!name_or_file.empty()) return load_data_config(name_or_file);
  const std::vector<std::string> names = fitting_presets(metadata);
  if (names.size() == 1) return load_data_config(names.front());
  return fail(Code::usage, "data configuration", "the name of a preset or a JSON file", "none",
              preset_hint(metadata) + "; pass --data-config");
}

}  // namespace ramet
