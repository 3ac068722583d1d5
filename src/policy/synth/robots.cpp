#include "policy/synth/robots.h"

#include <nlohmann/json.hpp>

#include <numeric>
#include <string>
#include <vector>

namespace ramet {
namespace {

using nlohmann::json;

enum class Rep { absolute, relative, relative_eef };

struct Key {
  const char* name;
  int dims;
  Rep rep = Rep::absolute;
};

struct Robot {
  const char* tag;
  int slot;
  std::vector<int> video_delta_indices;
  std::vector<const char*> cameras;
  std::vector<Key> state, action;
  int horizon;
  const char* language_key;
};

std::vector<Robot> robots(SynthRobots which) {
  const std::vector<Key> pose{{"x", 1}, {"y", 1}, {"z", 1}, {"roll", 1}, {"pitch", 1}, {"yaw", 1}, {"gripper", 1}};
  std::vector<Key> libero_state = pose;
  libero_state.back().dims = 2;
  const std::vector<Key> widowx_state{{"x", 1},     {"y", 1},   {"z", 1},   {"roll", 1},
                                      {"pitch", 1}, {"yaw", 1}, {"pad", 1}, {"gripper", 1}};
  const std::vector<Key> google_state{{"x", 1},  {"y", 1},  {"z", 1},  {"rx", 1},
                                      {"ry", 1}, {"rz", 1}, {"rw", 1}, {"gripper", 1}};
  const std::vector<Key> droid{
      {"eef_9d", 9, Rep::relative_eef}, {"gripper_position", 1, Rep::absolute}, {"joint_position", 7, Rep::relative}};
  const char* task = "annotation.human.action.task_description";
  if (which == SynthRobots::n16)
    return {{"libero_panda", 2, {0}, {"image", "wrist_image"}, libero_state, pose, 16, task},
            {"oxe_droid",
             16,
             {0},
             {"exterior_image_1_left", "wrist_image_left"},
             {{"joint_position", 7}, {"gripper_position", 1}},
             {{"joint_position", 7, Rep::relative}, {"gripper_position", 1}},
             32,
             "annotation.language.language_instruction"},
            {"oxe_google", 0, {0}, {"image"}, google_state, pose, 8, task},
            {"oxe_widowx", 1, {0}, {"image_0"}, widowx_state, pose, 8, task}};
  return {{"libero_sim", 2, {0}, {"image", "wrist_image"}, libero_state, pose, 16, task},
          {"oxe_droid_relative_eef_relative_joint",
           24,
           {-15, 0},
           {"exterior_image_1_left", "wrist_image_left"},
           droid,
           droid,
           40,
           "annotation.language.language_instruction"},
          {"simpler_env_google", 0, {0}, {"image"}, google_state, pose, 8, task},
          {"simpler_env_widowx", 1, {0}, {"image_0"}, widowx_state, pose, 8, task}};
}

json modality(const std::vector<int>& delta_indices, const json& keys) {
  return {{"delta_indices", delta_indices},
          {"modality_keys", keys},
          {"sin_cos_embedding_keys", nullptr},
          {"mean_std_embedding_keys", nullptr},
          {"action_configs", nullptr}};
}

json names(const std::vector<Key>& keys) {
  json list = json::array();
  for (const Key& key : keys) list.push_back(key.name);
  return list;
}

json action_config(const Key& key) {
  const bool is_eef = key.rep == Rep::relative_eef;
  return {{"rep", key.rep == Rep::absolute ? "ABSOLUTE" : "RELATIVE"},
          {"type", is_eef ? "EEF" : "NON_EEF"},
          {"format", is_eef ? "XYZ_ROT6D" : "DEFAULT"},
          {"state_key", key.name}};
}

json action_modality(const Robot& robot) {
  std::vector<int> steps(static_cast<size_t>(robot.horizon));
  std::iota(steps.begin(), steps.end(), 0);
  json result = modality(steps, names(robot.action));
  result["action_configs"] = json::array();
  for (const Key& key : robot.action) result["action_configs"].push_back(action_config(key));
  return result;
}

// Plausible bounds: half a unit around zero, a little wider in each dimension.
json statistics(int dims) {
  json result;
  for (int i = 0; i < dims; ++i) {
    const double bound = 0.5 + 0.125 * i;
    result["min"].push_back(-bound);
    result["max"].push_back(bound);
    result["mean"].push_back(0.0);
    result["std"].push_back(0.5 * bound);
    result["q01"].push_back(-0.9375 * bound);
    result["q99"].push_back(0.9375 * bound);
  }
  return result;
}

json relative_statistics(int dims, int horizon) {
  json result;
  const json one_step = statistics(dims);
  for (const auto& [name, row] : one_step.items())
    for (int step = 0; step < horizon; ++step) result[name].push_back(row);
  return result;
}

json robot_statistics(const Robot& robot) {
  json result{{"state", json::object()}, {"action", json::object()}, {"relative_action", json::object()}};
  for (const Key& key : robot.state) result["state"][key.name] = statistics(key.dims);
  for (const Key& key : robot.action) {
    result["action"][key.name] = statistics(key.dims);
    if (key.rep != Rep::absolute) result["relative_action"][key.name] = relative_statistics(key.dims, robot.horizon);
  }
  return result;
}

}  // namespace

json synth_modality_configs(SynthRobots which) {
  json configs;
  for (const Robot& robot : robots(which))
    configs[robot.tag] = {{"video", modality(robot.video_delta_indices, robot.cameras)},
                          {"state", modality({0}, names(robot.state))},
                          {"action", action_modality(robot)},
                          {"language", modality({0}, {robot.language_key})}};
  return configs;
}

json synth_statistics(SynthRobots which) {
  json result;
  for (const Robot& robot : robots(which)) result[robot.tag] = robot_statistics(robot);
  return result;
}

json synth_embodiment_ids(SynthRobots which) {
  json result;
  for (const Robot& robot : robots(which)) result[robot.tag] = robot.slot;
  return result;
}

}  // namespace ramet
