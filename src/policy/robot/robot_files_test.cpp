// Checkpoint directories on disk, in the layouts of NVIDIA and LeRobot.
#include "policy/robot/robot.h"
#include "support/assertions.h"
#include "weights/safetensors_writer.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <limits>

namespace ramet {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class Directory : public testing::Test {
 protected:
  void SetUp() override {
    dir_ = fs::temp_directory_path() / fmt::format("ramet_robot_{}", testing::UnitTest::GetInstance()->random_seed());
    dir_ /= testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(dir_);
    fs::create_directories(dir_);
  }
  void TearDown() override { fs::remove_all(dir_); }

  void write(const fs::path& name, std::string_view text) const {
    fs::create_directories((dir_ / name).parent_path());
    std::ofstream(dir_ / name) << text;
  }

  // One arm of two joints, relative, in the layout of NVIDIA.
  void write_nvidia(const std::string& folder = "", std::string_view model = R"({"model_type": "Gr00tN1d7"})") const {
    write("config.json", model);
    write(folder + "processor_config.json",
          fmt::format(
              R"({{"processor_class": "Gr00tN1d7Processor", "processor_kwargs": {{"modality_configs": {{"arm": {}}},
                          "max_state_dim": 132, "max_action_dim": 132, "use_relative_action": true}}}})",
              kModality));
    write(folder + "statistics.json", fmt::format(R"({{"arm": {}}})", kStatistics));
    write(folder + "embodiment_id.json", R"({"arm": 7})");
  }

  void write_lerobot(std::string_view pack, std::string_view post, std::string_view state_file = "null",
                     std::string_view encode = R"("use_albumentations": true, "image_target_size": [256, 256],
                                                  "shortest_image_edge": 256, "crop_fraction": 0.95)") const {
    write("config.json",
          R"({"type": "groot", "input_features": {"observation.images.top": {}, "observation.state": {}}})");
    write("policy_preprocessor.json",
          fmt::format(R"({{"steps": [{{"registry_name": "to_batch_processor", "config": {{}}}},
              {{"registry_name": "groot_n1_7_pack_inputs_v1", "config": {{"embodiment_tag": "arm", {}}}, "state_file": {}}},
              {{"registry_name": "groot_n1_7_vlm_encode_v1", "config": {{{}}}}}]}})",
                      pack, state_file, encode));
    write("policy_postprocessor.json", fmt::format(R"({{"steps": [{}]}})", post));
  }

  void write_tensors(const std::string& name, float high = 4) const {
    const std::vector<float> lo{0, 0}, hi{2, high};
    const auto view = [](const std::vector<float>& values) {
      return ConstView(std::as_bytes(std::span(values)).data(), DType::f32, {2});
    };
    const std::vector<NamedView> tensors{{"action.max", view(hi)},
                                         {"action.min", view(lo)},
                                         {"observation.state.max", view(hi)},
                                         {"observation.state.min", view(lo)}};
    ASSERT_OK(write_safetensors(dir_ / name, tensors));
  }

  static constexpr const char* kModality = R"({"video": {"delta_indices": [0], "modality_keys": ["top"]},
      "state": {"delta_indices": [0], "modality_keys": ["joints", "gripper"]},
      "action": {"delta_indices": [0, 1], "modality_keys": ["joints", "gripper"], "action_configs": [
        {"rep": "RELATIVE", "type": "NON_EEF", "format": "DEFAULT", "state_key": null},
        {"rep": "ABSOLUTE", "type": "NON_EEF", "format": "DEFAULT", "state_key": null}]},
      "language": {"delta_indices": [0], "modality_keys": ["task"]}})";
  static constexpr const char* kStatistics = R"({
      "state": {"joints": {"min": [0], "max": [2]}, "gripper": {"min": [0], "max": [4]}},
      "action": {"joints": {"min": [0], "max": [2]}, "gripper": {"min": [0], "max": [1]}},
      "relative_action": {"joints": {"min": [[-1], [-2]], "max": [[1], [2]]}}})";
  static constexpr const char* kDecode = R"({"registry_name": "groot_n1_7_action_decode_v1", "config":
      {"use_relative_action": true, "action_decode_transform": "libero"}})";
  static constexpr const char* kUnpack = R"({"registry_name": "groot_action_unpack_unnormalize_v2", "config":
      {"env_action_dim": 2, "clip_normalized_action": true}})";

  fs::path dir_;
};

TEST_F(Directory, NvidiaInRootAndInProcessorFolder) {
  for (const std::string folder : {"", "processor/"}) {
    write_nvidia(folder);
    const auto files = load_robot_files(dir_);
    ASSERT_OK(files);
    EXPECT_EQ(files->layout, CheckpointLayout::nvidia);
    EXPECT_EQ(files->sources.size(), 4U);
    const auto robot = make_robot(*files, "");
    ASSERT_OK(robot);
    EXPECT_EQ(robot->slot, 7);
    EXPECT_EQ(robot->actions.columns(), 2);
    for (const char* name : {"processor_config.json", "statistics.json", "embodiment_id.json"}) fs::remove(dir_ / name);
  }
}

TEST_F(Directory, MissingFilesAreListed) {
  EXPECT_CODE(load_robot_files(dir_), Code::not_found);
  write("config.json", R"({"model_type": "Gr00tN1d7"})");
  const auto files = load_robot_files(dir_);
  ASSERT_OK(files);
  EXPECT_THAT(files->missing, ElementsAre(dir_ / "processor_config.json", dir_ / "statistics.json"));
  const auto robot = make_robot(*files, "arm");
  EXPECT_CODE(robot, Code::not_found);
  EXPECT_THAT(robot.error().expected, HasSubstr("processor_config.json, statistics.json"));
  write("config.json", R"({"type": "act"})");
  EXPECT_CODE(load_robot_files(dir_), Code::unsupported);
}

TEST_F(Directory, TheRobotMustFitTheModel) {
  for (const std::string field :
       {R"("action_horizon": 1)", R"("state_history_length": 2)", R"("max_state_dim": 29)", R"("max_action_dim": 1)"}) {
    write_nvidia("", R"({"model_type": "Gr00tN1d7", )" + field + "}");
    const auto robot = make_robot(load_robot_files(dir_).value(), "arm");
    EXPECT_CODE(robot, Code::shape_mismatch);
    EXPECT_THAT(robot.error().where, HasSubstr("processor_config.json: processor_kwargs."));
  }
  write_nvidia("", R"({"model_type": "Gr00tN1d7", "max_num_embodiments": 7})");
  EXPECT_CODE(make_robot(load_robot_files(dir_).value(), "arm"), Code::invalid_value);
}

// A pipe or a loop of links under the name of a file that may be absent is not the same as none.
TEST_F(Directory, WhatIsNoFileIsAnError) {
  write_nvidia("", R"({"model_type": "Gr00tN1d7"})");
  const auto ids = dir_ / "embodiment_id.json";
  std::filesystem::remove(ids);
  ASSERT_OK(load_robot_files(dir_));
  ASSERT_EQ(::mkfifo(ids.c_str(), 0600), 0);
  EXPECT_CODE(load_robot_files(dir_), Code::invalid_file);
  std::filesystem::remove(ids);
  std::filesystem::create_symlink(ids, ids);
  EXPECT_CODE(load_robot_files(dir_), Code::not_found);
}

TEST_F(Directory, LerobotWithRawStatistics) {
  write_lerobot(fmt::format(R"("modality_config": {}, "raw_stats": {})", kModality, kStatistics), kDecode);
  const auto files = load_robot_files(dir_);
  ASSERT_OK(files);
  EXPECT_EQ(files->layout, CheckpointLayout::lerobot);
  EXPECT_EQ(files->model.diffusion_model_cfg.num_layers, 32);
  EXPECT_EQ(files->processor->default_instruction, "Perform the task.");
  const auto robot = make_robot(*files, "arm");
  ASSERT_OK(robot);
  EXPECT_EQ(robot->slot, 0);  // LeRobot's answer to an unknown tag
  const std::vector<float> chunk{.5F, 1, .5F, -1};
  const ConstView view(std::as_bytes(std::span(chunk)).data(), DType::f32, {2, 2});
  const auto actions = robot->actions.decode(view, {{"joints", {{10}}}, {"gripper", {{0}}}});
  ASSERT_OK(actions);
  EXPECT_THAT((*actions)[0].values.flat<float>(), ElementsAre(10.5F, 11));
  EXPECT_THAT((*actions)[1].values.flat<float>(), ElementsAre(-1, 1));  // -sign(2g - 1)
}

TEST_F(Directory, LerobotWithFlatStatistics) {
  write_tensors("step.safetensors");
  write_lerobot(R"("valid_action_horizon": 3)", kUnpack, "\"step.safetensors\"");
  const auto files = load_robot_files(dir_);
  ASSERT_OK(files);
  const auto robot = make_robot(*files, "arm");
  ASSERT_OK(robot);
  EXPECT_THAT(robot->modality.video.modality_keys, ElementsAre("observation.images.top"));
  EXPECT_EQ(robot->actions.horizon(), 3);
  const auto state = robot->state.normalize({{"state", {{1, 4}}}}, "obs");
  ASSERT_OK(state);
  EXPECT_THAT(state->flat<float>().first(3), ElementsAre(0, 1, 0));
  // The same tensors, cut by the keys of a modality_config.
  write_lerobot(fmt::format(R"("modality_config": {}, "raw_stats": {})", kModality, kStatistics), kUnpack,
                "\"step.safetensors\"");
  const auto keyed = load_robot_files(dir_);
  ASSERT_OK(keyed);
  EXPECT_THAT(keyed->statistics->find("arm", StatisticsGroup::action, "gripper")->require(Statistic::max)->values,
              ElementsAre(4));
}

TEST_F(Directory, LerobotRefusals) {
  const std::string robot = fmt::format(R"("modality_config": {}, "raw_stats": {})", kModality, kStatistics);
  const auto refused = [&](std::string_view pack, std::string_view post, Code code,
                           std::string_view state_file = "null") {
    write_lerobot(pack, post, state_file);
    EXPECT_CODE(load_robot_files(dir_), code);
  };
  refused(R"("modality_config": null)", kDecode, Code::invalid_file);
  refused(robot + R"(, "normalize_min_max": false)", kDecode, Code::unsupported);
  refused(robot + R"(, "video_horizon": 2)", kDecode, Code::invalid_file);
  refused(robot, R"({"registry_name": "groot_action_unpack_unnormalize_v1", "config": {}})", Code::not_found);
  refused(robot, R"({"registry_name": "groot_n1_7_action_decode_v1", "config": {"action_decode_transform": "x"}})",
          Code::unsupported);
  refused(robot, kUnpack, Code::invalid_file);
  refused(robot, kUnpack, Code::invalid_file, "\"../step.safetensors\"");
  refused(robot, kUnpack, Code::not_found, "\"step.safetensors\"");
  write_tensors("nan.safetensors", std::numeric_limits<float>::quiet_NaN());
  refused(robot, kUnpack, Code::not_finite, "\"nan.safetensors\"");
  write_lerobot(robot, kDecode, "null", R"("use_albumentations": false)");
  EXPECT_CODE(load_robot_files(dir_), Code::unsupported);
}

}  // namespace
}  // namespace ramet
