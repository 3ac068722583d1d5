#include "policy/synth/gr00t_n15_metadata.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace ramet {
namespace {

using nlohmann::json;

struct Key {
  std::string name;
  int dims;
  const char* rotation = nullptr;
};

struct Robot {
  std::string tag;
  std::vector<std::string> views;
  int width, height;
  std::vector<Key> state, action;
};

std::vector<Robot> robots() {
  const std::vector<Key> gr1{{"left_arm", 7}, {"right_arm", 7}, {"left_hand", 6}, {"right_hand", 6}};
  const std::vector<Key> genie{{"left_arm_joint_position", 7}, {"right_arm_joint_position", 7},
                               {"left_effector_position", 1},  {"right_effector_position", 1},
                               {"head_position", 2},           {"waist_position", 2}};
  std::vector<Key> genie_action = genie;
  genie_action.push_back({"robot_velocity", 2});
  return {{"gr1", {"ego_view"}, 256, 256, gr1, gr1},
          {"oxe_droid",
           {"exterior_image_1", "exterior_image_2", "wrist_image"},
           320,
           180,
           {{"eef_position", 3}, {"eef_rotation", 3, "euler_angles_rpy"}, {"gripper_position", 1}},
           {{"eef_position_delta", 3}, {"eef_rotation_delta", 3, "euler_angles_rpy"}, {"gripper_position", 1}}},
          {"agibot_genie1", {"top_head", "hand_left", "hand_right"}, 640, 480, genie, genie_action}};
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

json modality(const Key& key) {
  json result{{"absolute", !key.name.ends_with("_delta")},
              {"rotation_type", nullptr},
              {"shape", {key.dims}},
              {"continuous", true}};
  if (key.rotation != nullptr) result["rotation_type"] = key.rotation;
  return result;
}

void describe_keys(const char* group, const std::vector<Key>& keys, json& robot) {
  for (const Key& key : keys) {
    robot["modalities"][group][key.name] = modality(key);
    robot["statistics"][group][key.name] = statistics(key.dims);
  }
}

json describe(const Robot& robot) {
  json result{{"embodiment_tag", robot.tag}};
  for (const std::string& view : robot.views)
    result["modalities"]["video"][view] = {{"resolution", {robot.width, robot.height}}, {"channels", 3}, {"fps", 20.0}};
  describe_keys("state", robot.state, result);
  describe_keys("action", robot.action, result);
  return result;
}

}  // namespace

json synth_n15_metadata() {
  json metadata;
  for (const Robot& robot : robots()) metadata[robot.tag] = describe(robot);
  return metadata;
}

}  // namespace ramet
