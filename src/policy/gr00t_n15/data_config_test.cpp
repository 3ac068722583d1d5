#include "policy/gr00t_n15/data_config.h"

#include "base/json.h"
#include "support/assertions.h"

#include <gtest/gtest.h>

#include <fstream>

namespace ramet {
namespace {

Result<DataConfig> parse(const std::string& text) {
  RAMET_TRY(const JsonFile file, JsonFile::parse(text, "config"));
  return parse_data_config(file.root(), "config");
}

std::string with_action(const std::string& action) {
  return R"({"video": ["v"], "state": [], "language": "annotation.task", "action": )" + action + "}";
}

TEST(DataConfig, ReadsSteps) {
  const auto config = parse(R"({"video": ["v"], "language": "annotation.task", "action_horizon": 8,
    "state": [["a", "sin_cos"], ["b", "to_rotation_6d", "min_max"], ["c"]], "action": [["d", "binary"]]})");
  ASSERT_OK(config);
  EXPECT_EQ(config->action_horizon, 8);
  EXPECT_TRUE(config->state[0].sin_cos);
  EXPECT_EQ(config->state[1].rotation->kind, RotationFormat::Kind::rotation_6d);
  EXPECT_EQ(config->state[1].normalization, NormalizerMode::min_max);
  EXPECT_EQ(config->state[2].normalization, NormalizerMode::none);
  EXPECT_EQ(config->action[0].normalization, NormalizerMode::binary);
}

TEST(DataConfig, RefusesWhatMakesNoSense) {
  EXPECT_CODE(parse(with_action("[]")), Code::invalid_value);
  EXPECT_CODE(parse(with_action("[[]]")), Code::invalid_file);
  EXPECT_CODE(parse(with_action(R"([["a", "min_max", "binary"]])")), Code::invalid_value);
  EXPECT_CODE(parse(with_action(R"([["a", "minmax"]])")), Code::invalid_value);
  EXPECT_CODE(parse(with_action(R"([["a", "to_euler"]])")), Code::invalid_value);
  EXPECT_CODE(parse(with_action(R"([["a"], ["a"]])")), Code::invalid_value);
  EXPECT_CODE(parse(with_action(R"([["a", "sin_cos"]])")), Code::unsupported);
  EXPECT_CODE(parse(with_action(R"([["a", "scale"]])")), Code::unsupported);
  EXPECT_CODE(parse(R"({"video": [], "state": [], "action": [["a"]], "language": "l"})"), Code::invalid_value);
  EXPECT_CODE(parse(R"({"video": ["v"], "state": []})"), Code::not_found);
}

TEST(DataConfig, PresetsAndFiles) {
  for (const std::string& name : data_config_presets()) EXPECT_OK(load_data_config(name));
  const auto misspelt = load_data_config("oxe_driod");
  EXPECT_CODE(misspelt, Code::not_found);
  EXPECT_NE(misspelt.error().hint.find("oxe_droid"), std::string::npos);

  const auto path = std::filesystem::path(testing::TempDir()) / "own_data_config.json";
  std::ofstream(path) << with_action(R"([["a"]])");
  const auto own = load_data_config(path.string());
  ASSERT_OK(own);
  EXPECT_EQ(own->name, path.string());
  EXPECT_CODE(load_data_config("absent.json"), Code::not_found);
}

}  // namespace
}  // namespace ramet
