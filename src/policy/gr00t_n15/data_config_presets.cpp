// The data configurations that the original package ships.  Source: spec gr00t-n1.5, section 10.
#include "policy/gr00t_n15/data_config_presets.h"

namespace ramet {

std::string_view data_config_presets_json() {
  return R"({
 "fourier_gr1_arms_waist": {
  "video": ["ego_view"],
  "state": [["left_arm", "sin_cos"], ["right_arm", "sin_cos"], ["left_hand", "sin_cos"], ["right_hand", "sin_cos"],
    ["waist", "sin_cos"]],
  "action": [["left_arm", "min_max"], ["right_arm", "min_max"], ["left_hand", "min_max"], ["right_hand", "min_max"],
    ["waist", "min_max"]],
  "language": "annotation.human.coarse_action"},
 "fourier_gr1_arms_only": {
  "video": ["ego_view"],
  "state": [["left_arm", "sin_cos"], ["right_arm", "sin_cos"], ["left_hand", "sin_cos"], ["right_hand", "sin_cos"]],
  "action": [["left_arm", "min_max"], ["right_arm", "min_max"], ["left_hand", "min_max"], ["right_hand",
    "min_max"]],
  "language": "annotation.human.action.task_description"},
 "fourier_gr1_full_upper_body": {
  "video": ["front_view"],
  "state": [["left_arm", "min_max"], ["right_arm", "min_max"], ["left_hand", "min_max"], ["right_hand", "min_max"],
    ["waist", "min_max"], ["neck", "min_max"]],
  "action": [["left_arm", "min_max"], ["right_arm", "min_max"], ["left_hand", "min_max"], ["right_hand", "min_max"],
    ["waist", "min_max"], ["neck", "min_max"]],
  "language": "annotation.human.action.task_description"},
 "bimanual_panda_gripper": {
  "video": ["right_wrist_view", "left_wrist_view", "front_view"],
  "state": [["right_arm_eef_pos", "min_max"], ["right_arm_eef_quat", "to_rotation_6d"], ["right_gripper_qpos",
    "min_max"], ["left_arm_eef_pos", "min_max"], ["left_arm_eef_quat", "to_rotation_6d"], ["left_gripper_qpos",
    "min_max"]],
  "action": [["right_arm_eef_pos"], ["right_arm_eef_rot"], ["right_gripper_close", "binary"], ["left_arm_eef_pos"],
    ["left_arm_eef_rot"], ["left_gripper_close", "binary"]],
  "language": "annotation.human.action.task_description"},
 "bimanual_panda_hand": {
  "video": ["right_wrist_view", "left_wrist_view", "ego_view"],
  "state": [["right_arm_eef_pos", "min_max"], ["right_arm_eef_quat", "to_rotation_6d"], ["right_hand", "min_max"],
    ["left_arm_eef_pos", "min_max"], ["left_arm_eef_quat", "to_rotation_6d"], ["left_hand", "min_max"]],
  "action": [["right_arm_eef_pos"], ["right_arm_eef_rot"], ["right_hand", "min_max"], ["left_arm_eef_pos"],
    ["left_arm_eef_rot"], ["left_hand", "min_max"]],
  "language": "annotation.human.action.task_description"},
 "single_panda_gripper": {
  "video": ["left_view", "right_view", "wrist_view"],
  "state": [["end_effector_position_relative", "min_max"], ["end_effector_rotation_relative", "to_rotation_6d",
    "min_max"], ["gripper_qpos", "min_max"], ["base_position", "min_max"], ["base_rotation", "to_rotation_6d",
    "min_max"]],
  "action": [["end_effector_position", "min_max"], ["end_effector_rotation", "min_max"], ["gripper_close",
    "binary"], ["base_motion", "min_max"], ["control_mode", "binary"]],
  "language": "annotation.human.action.task_description"},
 "so100": {
  "video": ["webcam"],
  "state": [["single_arm", "min_max"], ["gripper", "min_max"]],
  "action": [["single_arm", "min_max"], ["gripper", "min_max"]],
  "language": "annotation.human.task_description"},
 "so100_dualcam": {
  "video": ["front", "wrist"],
  "state": [["single_arm", "min_max"], ["gripper", "min_max"]],
  "action": [["single_arm", "min_max"], ["gripper", "min_max"]],
  "language": "annotation.human.task_description"},
 "unitree_g1": {
  "video": ["rs_view"],
  "state": [["left_arm", "min_max"], ["right_arm", "min_max"], ["left_hand", "min_max"], ["right_hand", "min_max"]],
  "action": [["left_arm", "min_max"], ["right_arm", "min_max"], ["left_hand", "min_max"], ["right_hand",
    "min_max"]],
  "language": "annotation.human.task_description"},
 "unitree_g1_full_body": {
  "video": ["rs_view"],
  "state": [["left_leg", "min_max"], ["right_leg", "min_max"], ["waist", "min_max"], ["left_arm", "min_max"],
    ["right_arm", "min_max"], ["left_hand", "min_max"], ["right_hand", "min_max"]],
  "action": [["left_arm", "min_max"], ["right_arm", "min_max"], ["left_hand", "min_max"], ["right_hand",
    "min_max"]],
  "language": "annotation.human.task_description"},
 "oxe_droid": {
  "video": ["exterior_image_1", "exterior_image_2", "wrist_image"],
  "state": [["eef_position", "min_max"], ["eef_rotation", "to_rotation_6d"], ["gripper_position", "min_max"]],
  "action": [["eef_position_delta"], ["eef_rotation_delta", "to_axis_angle"], ["gripper_position", "binary"]],
  "language": "annotation.language.language_instruction"},
 "agibot_genie1": {
  "video": ["top_head", "hand_left", "hand_right"],
  "state": [["left_arm_joint_position", "min_max"], ["right_arm_joint_position", "min_max"],
    ["left_effector_position", "min_max"], ["right_effector_position", "min_max"], ["head_position", "min_max"],
    ["waist_position", "min_max"]],
  "action": [["left_arm_joint_position", "min_max"], ["right_arm_joint_position", "min_max"],
    ["left_effector_position", "min_max"], ["right_effector_position", "min_max"], ["head_position", "min_max"],
    ["waist_position", "min_max"], ["robot_velocity", "min_max"]],
  "language": "annotation.language.action_text"},
 "libero": {
  "video": ["image", "wrist_image"],
  "state": [["x", "min_max"], ["y", "min_max"], ["z", "min_max"], ["roll", "min_max"], ["pitch", "min_max"], ["yaw",
    "min_max"], ["gripper", "min_max"]],
  "action": [["x", "min_max"], ["y", "min_max"], ["z", "min_max"], ["roll", "min_max"], ["pitch", "min_max"],
    ["yaw", "min_max"], ["gripper", "min_max"]],
  "language": "annotation.human.action.task_description"},
 "libero_mean_std": {
  "video": ["image", "wrist_image"],
  "state": [["x", "min_max"], ["y", "min_max"], ["z", "min_max"], ["roll", "min_max"], ["pitch", "min_max"], ["yaw",
    "min_max"], ["gripper", "min_max"]],
  "action": [["x", "mean_std"], ["y", "mean_std"], ["z", "mean_std"], ["roll", "mean_std"], ["pitch", "mean_std"],
    ["yaw", "mean_std"], ["gripper", "min_max"]],
  "language": "annotation.human.action.task_description"},
 "fractal": {
  "video": ["image"],
  "state": [["x", "min_max"], ["y", "min_max"], ["z", "min_max"], ["rx", "min_max"], ["ry", "min_max"], ["rz",
    "min_max"], ["rw", "min_max"], ["gripper", "min_max"]],
  "action": [["x", "mean_std"], ["y", "mean_std"], ["z", "mean_std"], ["roll", "mean_std"], ["pitch", "mean_std"],
    ["yaw", "mean_std"], ["gripper", "min_max"]],
  "language": "annotation.human.action.task_description"},
 "bridge": {
  "video": ["image_0"],
  "state": [["x", "min_max"], ["y", "min_max"], ["z", "min_max"], ["roll", "min_max"], ["pitch", "min_max"], ["yaw",
    "min_max"], ["pad", "min_max"], ["gripper", "min_max"]],
  "action": [["x", "min_max"], ["y", "min_max"], ["z", "min_max"], ["roll", "min_max"], ["pitch", "min_max"],
    ["yaw", "min_max"], ["gripper", "min_max"]],
  "language": "annotation.human.action.task_description"}
})";
}

}  // namespace ramet
