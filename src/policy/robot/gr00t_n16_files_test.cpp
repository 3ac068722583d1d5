// The files of N1.6 and what is refused about them.
#include "policy/robot/gr00t_n16_files.h"

#include "support/assertions.h"
#include "support/scratch_folder.h"

#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

namespace ramet {
namespace {

using nlohmann::json;
using testing::HasSubstr;

json statistics(double bound) {
  return {{"min", {-bound}}, {"max", {bound}}, {"mean", {0}}, {"std", {1}}, {"q01", {-bound}}, {"q99", {bound}}};
}

json modality(const json& key, int steps) {
  json indices = json::array();
  for (int i = 0; i < steps; ++i) indices.push_back(i);
  return {{"delta_indices", indices}, {"modality_keys", {key}}};
}

class N16Files : public testing::Test {
 protected:
  N16Files() {
    config_ = {{"model_type", "Gr00tN1d6"},
               {"max_state_dim", 128},
               {"max_action_dim", 128},
               {"action_horizon", 50},
               {"diffusion_model_cfg", {{"num_layers", 32}}}};
    const json robot{{"video", modality("image", 1)},
                     {"state", modality("x", 2)},
                     {"action", modality("x", 8)},
                     {"language", modality("task", 1)}};
    processor_ = {{"processor_class", "Gr00tN1d6Processor"},
                  {"processor_kwargs",
                   {{"modality_configs", {{"libero_panda", robot}, {"unitree_g1", robot}}},
                    {"image_crop_size", nullptr},
                    {"image_target_size", nullptr},
                    {"use_albumentations", true},
                    {"shortest_image_edge", 256},
                    {"crop_fraction", 0.95},
                    {"model_name", "nvidia/Eagle-Block2A-2B-v2"},
                    {"model_type", "eagle"},
                    {"formalize_language", true},
                    {"max_state_dim", 128},
                    {"max_action_dim", 128},
                    {"max_action_horizon", 50},
                    {"use_percentiles", false},
                    {"clip_outliers", true},
                    {"apply_sincos_state_encoding", true},
                    {"use_relative_action", true}}}};
    const json groups{{"state", {{"x", statistics(1)}}}, {"action", {{"x", statistics(2)}}}};
    write("statistics.json", {{"libero_panda", groups}, {"unitree_g1", groups}});
  }
  void write(const char* name, const json& document) { std::ofstream(folder_ / name) << document.dump(); }
  Result<Robot> robot(std::string_view name) {
    write("config.json", config_);
    write("processor_config.json", processor_);
    RAMET_TRY(const Gr00tN16Files files, load_gr00t_n16_files(folder_.path()));
    return make_robot(files, name);
  }

  test::ScratchFolder folder_;
  json config_, processor_;
};

TEST_F(N16Files, RobotsByTagAndByName) {
  const auto libero = robot("libero_panda");
  ASSERT_OK(libero);
  EXPECT_EQ(libero->slot, 2);
  EXPECT_EQ(libero->state.history(), 2);     // a token for each time step: no fixed number
  const auto unitree = robot("UNITREE_G1");  // another robot's tag in N1.7
  ASSERT_OK(unitree);
  EXPECT_EQ(unitree->tag, "unitree_g1");
  EXPECT_EQ(unitree->slot, 8);
  EXPECT_CODE(robot("gr1"), Code::not_found);
}

TEST_F(N16Files, SlotsOfTheFileWin) {
  write("embodiment_id.json", {{"libero_panda", 31}});
  EXPECT_EQ(robot("libero_panda")->slot, 31);
  EXPECT_EQ(robot("unitree_g1")->slot, 8);
}

TEST_F(N16Files, EveryProcessorFieldIsNeeded) {
  const json complete = processor_;
  for (const auto& [key, value] : complete["processor_kwargs"].items()) {
    if (key == "model_type") continue;  // a constant
    processor_ = complete;
    processor_["processor_kwargs"].erase(key);
    const auto result = robot("libero_panda");
    EXPECT_CODE(result, Code::not_found);
    EXPECT_THAT(result.error().message(), HasSubstr(key));
  }
}

TEST_F(N16Files, OtherModelsAreRefused) {
  config_["model_type"] = "Gr00tN1d7";
  EXPECT_CODE(robot("libero_panda"), Code::unsupported);
  config_["model_type"] = "Gr00tN1d6";
  config_["backbone_model_type"] = "qwen";
  EXPECT_CODE(robot("libero_panda"), Code::unsupported);
  config_.erase("backbone_model_type");
  config_["reproject_vision"] = true;
  EXPECT_CODE(robot("libero_panda"), Code::unsupported);
  config_.erase("reproject_vision");
  processor_["processor_class"] = "Gr00tN1d7Processor";
  EXPECT_CODE(robot("libero_panda"), Code::unsupported);
}

TEST_F(N16Files, SizesThatDoNotFit) {
  config_["input_embedding_dim"] = 1535;
  EXPECT_CODE(robot("libero_panda"), Code::invalid_value);
  config_.erase("input_embedding_dim");
  config_["max_seq_len"] = 49;
  EXPECT_CODE(robot("libero_panda"), Code::invalid_value);
  config_.erase("max_seq_len");
  config_["action_horizon"] = 7;
  EXPECT_CODE(robot("libero_panda"), Code::shape_mismatch);
  config_.erase("diffusion_model_cfg");
  EXPECT_CODE(robot("libero_panda"), Code::not_found);
}

TEST_F(N16Files, MissingFilesAreNamed) {
  std::filesystem::remove(folder_ / "statistics.json");
  const auto result = robot("libero_panda");
  EXPECT_CODE(result, Code::not_found);
  EXPECT_THAT(result.error().message(), HasSubstr("statistics.json"));
}

}  // namespace
}  // namespace ramet
