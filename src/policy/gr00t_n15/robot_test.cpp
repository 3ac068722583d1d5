#include "policy/gr00t_n15/robot.h"

#include "support/assertions.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace ramet {
namespace {

using nlohmann::json;

json key(int dims) { return {{"absolute", true}, {"rotation_type", nullptr}, {"shape", {dims}}, {"continuous", true}}; }

json statistics(int dims) {
  json result;
  for (const char* name : {"max", "std", "q99"}) result[name] = std::vector<double>(static_cast<size_t>(dims), 1.0);
  for (const char* name : {"min", "mean", "q01"}) result[name] = std::vector<double>(static_cast<size_t>(dims), -1.0);
  return result;
}

// The robot of the presets so100.
json so100() {
  json robot{{"embodiment_tag", "new_embodiment"}};
  robot["modalities"]["video"]["webcam"] = {{"resolution", {64, 48}}, {"channels", 3}, {"fps", 30.0}};
  for (const char* group : {"state", "action"})
    for (const auto& [name, dims] : {std::pair{"single_arm", 5}, std::pair{"gripper", 1}}) {
      robot["modalities"][group][name] = key(dims);
      robot["statistics"][group][name] = statistics(dims);
    }
  return robot;
}

Result<RobotMetadata> metadata(const json& robot) {
  const json root{{"robot", robot}};
  RAMET_TRY(const MetadataFile file, MetadataFile::parse(Json(root, "metadata.json")));
  return file.find("robot");
}

Result<N15Robot> make(const json& robot, const std::string& config, N15Widths widths = {}) {
  RAMET_TRY(const RobotMetadata found, metadata(robot));
  RAMET_TRY(const DataConfig chosen, choose_data_config(config, found));
  return N15Robot::make(found, chosen, widths);
}

Result<N15Robot> make_with(const json& robot, const json& config) {
  RAMET_TRY(const RobotMetadata found, metadata(robot));
  RAMET_TRY(const DataConfig chosen, parse_data_config(Json(config, "config"), "config"));
  return N15Robot::make(found, chosen, {});
}

struct Seen {
  std::vector<uint8_t> pixels = std::vector<uint8_t>(64 * 48 * 3);
  Observation observation;

  Seen() {
    observation.video["webcam"] = {{pixels, 48, 64}};
    observation.state = {{"single_arm", {{0, 0, 0, 0, 0}}}, {"gripper", {{0.5F}}}};
  }
};

TEST(N15Robot, FindsTheOnlyPresetThatFits) {
  const auto robot = make(so100(), "");
  ASSERT_OK(robot);
  EXPECT_EQ(robot->config().name, "so100");
  EXPECT_EQ(robot->slot(), 31);
}

TEST(N15Robot, SaysWhichPresetFitsInsteadOfAWrongOne) {
  const auto wrong = make(so100(), "so100_dualcam");
  EXPECT_CODE(wrong, Code::not_found);
  EXPECT_NE(wrong.error().message().find("so100_dualcam"), std::string::npos);
  EXPECT_NE(wrong.error().hint.find("so100"), std::string::npos);
  json unusual = so100();
  unusual["modalities"]["video"]["second"] = unusual["modalities"]["video"]["webcam"];
  EXPECT_CODE(make(unusual, ""), Code::usage);
}

TEST(N15Robot, RefusesWhatDoesNotGoTogether) {
  json robot = so100();
  robot["modalities"]["state"]["gripper"]["continuous"] = false;
  EXPECT_CODE(make(robot, "so100"), Code::invalid_value);
  robot = so100();
  robot["statistics"]["state"]["gripper"]["min"] = {1, 2};
  EXPECT_CODE(make(robot, "so100"), Code::invalid_file);
  robot = so100();
  robot["statistics"]["state"]["gripper"] = statistics(2);
  EXPECT_CODE(make(robot, "so100"), Code::shape_mismatch);
  EXPECT_CODE(make(so100(), "so100", {.max_state_dim = 5}), Code::shape_mismatch);
  EXPECT_CODE(make(so100(), "so100", {.max_action_dim = 5}), Code::shape_mismatch);
}

TEST(N15Robot, ConvertsOnlyRotations) {
  const auto config = [](const json& steps) {
    return json{{"video", {"webcam"}}, {"state", json::array({steps})}, {"action", {{"gripper"}}}, {"language", "a"}};
  };
  json robot = so100();
  EXPECT_CODE(make_with(robot, config({"single_arm", "to_rotation_6d"})), Code::invalid_value);
  robot["modalities"]["state"]["turn"] = key(3);
  robot["modalities"]["state"]["turn"]["rotation_type"] = "euler_angles_rpy";
  EXPECT_OK(make_with(robot, config({"turn", "to_rotation_6d", "min_max"})));
  EXPECT_CODE(make_with(robot, config({"turn", "to_rotation_6d", "q99"})), Code::unsupported);
  EXPECT_CODE(make_with(robot, config({"turn", "to_euler_angles_ypr"})), Code::unsupported);
  robot["modalities"]["state"]["turn"]["absolute"] = false;
  EXPECT_CODE(make_with(robot, config({"turn", "to_rotation_6d", "min_max"})), Code::unsupported);
  robot["modalities"]["state"]["turn"]["rotation_type"] = "quaternion";
  EXPECT_CODE(metadata(robot), Code::invalid_file);
}

TEST(N15Metadata, TellsWhatIsWrong) {
  json robot = so100();
  robot["embodiment_tag"] = "agibot";
  EXPECT_CODE(metadata(robot), Code::invalid_value);
  robot = so100();
  robot["modalities"]["video"]["webcam"]["resolution"] = {64};
  EXPECT_CODE(metadata(robot), Code::invalid_file);
  robot = so100();
  robot["modalities"]["state"]["gripper"]["shape"] = {1, 2};
  EXPECT_CODE(metadata(robot), Code::invalid_file);
  robot.erase("statistics");
  robot["modalities"]["state"]["gripper"]["shape"] = {1};
  EXPECT_CODE(metadata(robot), Code::not_found);
}

TEST(N15Robot, ChecksObservations) {
  const auto robot = make(so100(), "so100");
  ASSERT_OK(robot);
  EXPECT_OK(robot->check(Seen().observation));

  Seen extra;
  extra.observation.state["unknown"] = {{1}};
  extra.observation.video["unknown"] = {};
  EXPECT_OK(robot->check(extra.observation));

  Seen turned;
  turned.observation.video["webcam"] = {{turned.pixels, 64, 48}};
  EXPECT_CODE(robot->check(turned.observation), Code::shape_mismatch);
  Seen twice;
  twice.observation.video["webcam"].push_back(twice.observation.video["webcam"].front());
  EXPECT_OK(robot->check(twice.observation));
  twice.observation.video["webcam"].push_back({twice.pixels, 64, 48});
  EXPECT_CODE(robot->check(twice.observation), Code::shape_mismatch);
  Seen never;
  never.observation.video["webcam"].clear();
  EXPECT_CODE(robot->check(never.observation), Code::shape_mismatch);
  Seen blind;
  blind.observation.video.clear();
  EXPECT_CODE(robot->check(blind.observation), Code::not_found);
  Seen numb;
  numb.observation.state.erase("gripper");
  EXPECT_CODE(robot->check(numb.observation), Code::not_found);
  Seen wide;
  wide.observation.state["gripper"] = {{1, 2}};
  EXPECT_CODE(robot->check(wide.observation), Code::shape_mismatch);
  Seen broken;
  broken.observation.state["gripper"] = {{std::numeric_limits<float>::quiet_NaN()}};
  EXPECT_CODE(robot->check(broken.observation), Code::not_finite);
}

}  // namespace
}  // namespace ramet
