// What `inspect` tells of good and of damaged directories.
#include "policy/inspection.h"

#include "policy/testing.h"
#include "support/assertions.h"
#include "weights/testing.h"

#include <gmock/gmock.h>

namespace ramet {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const EmbodimentInfo& robot(const Inspection& inspection, std::string_view tag) {
  return *std::ranges::find(inspection.embodiments, tag, &EmbodimentInfo::tag);
}

std::string setting(const std::vector<Setting>& settings, std::string_view name) {
  const auto it = std::ranges::find(settings, name, &Setting::name);
  return it == settings.end() ? "" : it->value;
}

Inspection inspect_edited(const std::string& file, const std::function<void(json&)>& change) {
  const test::Copy copy(test::tiny_directory("n17"));
  copy.edit(file, change);
  const auto inspection = inspect_directory(copy.path(), {});
  EXPECT_OK(inspection);
  return *inspection;
}

TEST(Inspect, WholeN17Directory) {
  const auto inspection = inspect_directory(test::tiny_directory("n17"), {});
  ASSERT_OK(inspection);
  EXPECT_THAT(inspection->problems, IsEmpty());
  EXPECT_THAT(inspection->missing, IsEmpty());
  EXPECT_THAT(inspection->surplus, IsEmpty());
  EXPECT_THAT(inspection->version, HasSubstr("N1.7"));
  EXPECT_EQ(inspection->layout, "published");
  EXPECT_THAT(inspection->files, Contains("statistics.json"));
  EXPECT_EQ(setting(inspection->settings, "select_layer"), "5");
  EXPECT_EQ(setting(inspection->settings, "action_horizon"), "40");
  EXPECT_EQ(setting(inspection->quirks, "rope"), "exact");
}

TEST(Inspect, Robots) {
  const auto inspection = inspect_directory(test::tiny_directory("n17"), {});
  ASSERT_OK(inspection);
  ASSERT_EQ(inspection->embodiments.size(), 4U);
  for (const EmbodimentInfo& each : inspection->embodiments) EXPECT_EQ(each.problem, "") << each.tag;
  const EmbodimentInfo& droid = robot(*inspection, test::kDroid);
  EXPECT_EQ(droid.slot, 24);
  EXPECT_EQ(droid.action_horizon, 40);
  EXPECT_THAT(droid.video_delta_indices, ElementsAre(-15, 0));
  EXPECT_THAT(droid.cameras, ElementsAre("exterior_image_1_left", "wrist_image_left"));
  EXPECT_EQ(droid.language_key(), "annotation.language.language_instruction");
  ASSERT_EQ(droid.action.size(), 3U);
  EXPECT_EQ(droid.action[0].representation, "relative_eef");
  EXPECT_EQ(droid.action[0].normalization, "min_max");  // relative keys never use percentiles
  EXPECT_EQ(droid.action[1].representation, "absolute");
  EXPECT_EQ(droid.action[1].normalization, "percentiles");
  EXPECT_EQ(droid.action[2].representation, "relative");
  EXPECT_EQ(droid.state[0].dims, 9);
  const EmbodimentInfo& libero = robot(*inspection, test::kLibero);
  EXPECT_EQ(libero.state.back().dims, 2);
  EXPECT_EQ(libero.action.back().dims, 1);
}

TEST(Inspect, SumsAddUp) {
  const auto inspection = inspect_directory(test::tiny_directory("n17"), {});
  ASSERT_OK(inspection);
  int64_t tensors = 0, bytes = 0, parameters = 0;
  for (const CategoryInfo& category : inspection->categories) {
    tensors += category.tensors;
    bytes += category.bytes;
    parameters += category.parameters;
  }
  EXPECT_EQ(tensors, static_cast<int64_t>(inspection->tensors.size()));
  EXPECT_EQ(bytes, inspection->weight_bytes);
  EXPECT_EQ(2 * parameters, bytes);  // all bf16
  const auto head = std::ranges::find(inspection->tensors, "backbone.model.lm_head.weight", &TensorInfo::name);
  EXPECT_EQ(head->category, "skipped");
}

TEST(Inspect, TowerDirectories) {
  for (const char* version : {"qwen3-vl-2b", "qwen3.5-0.8b"}) {
    const auto inspection = inspect_directory(test::tiny_directory(version), {});
    ASSERT_OK(inspection);
    EXPECT_THAT(inspection->problems, IsEmpty()) << version;
    EXPECT_THAT(inspection->version, HasSubstr("Qwen3")) << version;
    EXPECT_THAT(inspection->embodiments, IsEmpty()) << version;
    EXPECT_EQ(setting(inspection->settings, "vision_config.depth"), "5");
  }
}

TEST(Inspect, MissingFileIsListed) {
  const test::Copy copy(test::tiny_directory("n17"));
  fs::remove(copy.path() / "statistics.json");
  const auto inspection = inspect_directory(copy.path(), {});
  ASSERT_OK(inspection);
  EXPECT_THAT(inspection->missing, ElementsAre(HasSubstr("statistics.json")));
  EXPECT_THAT(inspection->problems, ElementsAre(HasSubstr("statistics.json")));
  for (const EmbodimentInfo& each : inspection->embodiments) EXPECT_EQ(each.problem, "no statistics");
  EXPECT_FALSE(inspection->tensors.empty());
}

TEST(Inspect, DisagreementsAreProblems) {
  EXPECT_THAT(inspect_edited("config.json", [](json& c) { c["select_layer"] = 4; }).problems,
              ElementsAre(HasSubstr("select_layer")));
  const Inspection surplus = inspect_edited("config.json", [](json& c) { c["use_vlln"] = false; });
  EXPECT_THAT(surplus.problems, ElementsAre(HasSubstr("vlln")));
  EXPECT_THAT(surplus.surplus, testing::SizeIs(2));
  EXPECT_THAT(surplus.surplus, Each(HasSubstr("action_head.vlln")));
  EXPECT_THAT(inspect_edited("config.json", [](json& c) { c["model_type"] = "other"; }).problems,
              ElementsAre(HasSubstr("model_type")));
  EXPECT_THAT(inspect_edited("backbone/config.json", [](json& c) { c["vision_config"].erase("depth"); }).problems,
              ElementsAre(HasSubstr("backbone/config.json: vision_config.depth")));
}

TEST(Inspect, OneBadRobotDoesNotHideTheOthers) {
  const Inspection inspection =
      inspect_edited("statistics.json", [](json& s) { s[test::kDroid]["action"].erase("gripper_position"); });
  EXPECT_THAT(inspection.problems, IsEmpty());
  EXPECT_THAT(robot(inspection, test::kDroid).problem, HasSubstr("gripper_position"));
  EXPECT_EQ(robot(inspection, test::kLibero).problem, "");
}

TEST(Inspect, NothingToRead) {
  const test::ScratchFolder folder;
  EXPECT_CODE(inspect_directory(folder.path(), {}), Code::not_found);
  EXPECT_CODE(inspect_directory(folder / "absent", {}), Code::not_found);
  EXPECT_CODE(inspect_directory(test::tiny_directory("n17"), {.quirks = {{"rope", "round"}}}), Code::usage);
}

}  // namespace
}  // namespace ramet
