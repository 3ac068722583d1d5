// States and decoding of every embodiment against the original code: bit for bit. Sines and cosines may differ by one
// unit in the last place: the original takes them from NumPy's vector routines.
#include "policy/robot/robot.h"
#include "policy/robot/test_support.h"
#include "support/assertions.h"
#include "support/paths.h"
#include "weights/safetensors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace ramet {
namespace {

using test::without_pictures;
namespace fs = std::filesystem;

int64_t ordered(float value) {
  const auto bits = std::bit_cast<int32_t>(value);
  return bits < 0 ? -int64_t{bits & 0x7FFFFFFF} : bits;
}

void expect_within_ulps(std::span<const float> ours, std::span<const float> golden, int64_t ulps) {
  ASSERT_EQ(ours.size(), golden.size());
  int64_t worst = 0;
  for (size_t i = 0; i < ours.size(); ++i) worst = std::max(worst, std::abs(ordered(ours[i]) - ordered(golden[i])));
  EXPECT_LE(worst, ulps);
}

class RobotGolden : public testing::Test {
 protected:
  void SetUp() override {
    const auto dir = test::golden_dir("n17_processors");
    if (!dir) GTEST_SKIP() << "the golden case n17_processors is not on this machine";
    auto config = JsonFile::load(*dir / "checkpoint/processor_config.json");
    ASSERT_OK(config);
    auto processor = parse_processor_config(config->root());
    auto statistics = Statistics::load(*dir / "checkpoint/statistics.json");
    auto tensors = SafetensorsFile::open(*dir / "state_action.safetensors");
    ASSERT_OK(processor);
    ASSERT_OK(statistics);
    ASSERT_OK(tensors);
    processor_ = std::move(*processor);
    statistics_ = std::move(*statistics);
    tensors_.emplace(std::move(*tensors));
  }

  ConstView tensor(const std::string& name) const { return tensors_->view(name).value(); }

  RawState state_of(const std::string& tag) const {
    const std::string prefix = "in." + tag + ".state.";
    RawState state;
    for (const auto& entry : tensors_->entries()) {
      if (!entry.name.starts_with(prefix)) continue;
      const ConstView view = tensor(entry.name);
      StateRows& rows = state[entry.name.substr(prefix.size())];
      for (int64_t t = 0; t < view.shape()[0]; ++t)
        rows.emplace_back(view.row<float>(t), view.row<float>(t) + view.shape()[1]);
    }
    return state;
  }

  // How many results the golden holds of a variant: each must be checked.
  int64_t tensors_of(const std::string& variant) const {
    return std::count_if(tensors_->entries().begin(), tensors_->entries().end(),
                         [&](const auto& entry) { return entry.name.starts_with("out." + variant + "."); });
  }

  // Checks everything the golden holds of one variant; returns how many tensors that was.
  int64_t check(const std::string& variant, const ProcessorConfig& config, int64_t state_ulps = 0) const {
    int64_t checked = 0;
    for (const auto& [tag, modality] : config.modality_configs) {
      SCOPED_TRACE(variant + " " + tag);
      checked += check_state("out." + variant + "." + tag + ".state", config, tag, state_ulps);
      checked += check_actions("out." + variant + "." + tag + ".action.", config, tag);
    }
    return checked;
  }

  int check_state(const std::string& name, const ProcessorConfig& config, const std::string& tag, int64_t ulps) const {
    if (!tensors_->find(name)) return 0;
    const auto processor = StateProcessor::make(config, config.modality_configs.at(tag).state, statistics_, tag);
    EXPECT_OK(processor);
    const auto ours = processor->normalize(state_of(tag), "golden");
    EXPECT_OK(ours);
    const ConstView golden = tensor(name);  // without its trailing zero columns
    const int64_t columns = golden.shape()[1];
    for (int64_t t = 0; t < golden.shape()[0]; ++t) {
      const std::span<const float> row(ours->view().row<float>(t), static_cast<size_t>(config.max_state_dim));
      expect_within_ulps(row.first(static_cast<size_t>(columns)), {golden.row<float>(t), static_cast<size_t>(columns)},
                         ulps);
      for (const float padding : row.subspan(static_cast<size_t>(columns))) EXPECT_EQ(padding, 0);
    }
    return 1;
  }

  int check_actions(const std::string& prefix, const ProcessorConfig& config, const std::string& tag) const {
    const auto decoder = ActionDecoder::make(config, config.modality_configs.at(tag), statistics_, tag);
    EXPECT_OK(decoder);
    const auto actions = decoder->decode(tensor("in." + tag + ".normalized"), state_of(tag));
    EXPECT_OK(actions);
    int checked = 0;
    for (const Action& action : *actions) {
      if (!tensors_->find(prefix + action.key)) continue;
      SCOPED_TRACE(action.key);
      const ConstView golden = tensor(prefix + action.key);
      EXPECT_EQ(action.values.shape(), golden.shape());
      expect_within_ulps(action.values.flat<float>(), golden.flat<float>(), 0);
      ++checked;
    }
    return checked;
  }

  ProcessorConfig processor_;
  Statistics statistics_{""};
  std::optional<SafetensorsFile> tensors_;
};

TEST_F(RobotGolden, Published) { EXPECT_EQ(check("published", processor_), tensors_of("published")); }

TEST_F(RobotGolden, MinMaxSinCosUnclipped) {
  processor_.use_percentiles = false;
  processor_.apply_sincos_state_encoding = true;
  processor_.clip_outliers = false;
  EXPECT_EQ(check("minmax_sincos_noclip", processor_, 1), tensors_of("minmax_sincos_noclip"));
}

TEST_F(RobotGolden, AbsoluteActions) {
  processor_.use_relative_action = false;
  EXPECT_EQ(check("absolute_actions", processor_), tensors_of("absolute_actions"));
}

TEST_F(RobotGolden, ExcludedState) {
  processor_.exclude_state = true;
  EXPECT_EQ(check("exclude_state", processor_), tensors_of("exclude_state"));
}

// The checkpoint files of every case, and its observation, make one working robot with the golden's pre.state.
TEST(RobotFilesGolden, EveryCaseOpens) {
  struct Case {
    std::string name, observation, tag, tap;
    int64_t slot;
  };
  const Case cases[] = {
      {"n17_libero", "inputs/observation.json", "libero_sim", "pre.state", 2},
      {"n17_droid", "inputs/observation.json", "oxe_droid_relative_eef_relative_joint", "pre.state", 24},
      {"n17_odd", "inputs/observation.json", "new_embodiment", "pre.state", 10},
      {"n17_full", "inputs/droid/observation.json", "oxe_droid_relative_eef_relative_joint", "droid.pre.state", 24},
      {"n17_full", "inputs/libero1/observation.json", "libero_sim", "libero1.pre.state", 2}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name + " " + c.observation);
    const auto dir = test::golden_dir(c.name);
    if (!dir) GTEST_SKIP() << "the golden cases n17_* are not on this machine";
    const auto files = load_robot_files(*dir / "checkpoint");
    ASSERT_OK(files);
    EXPECT_TRUE(files->missing.empty());
    const auto observation = load_observation(*dir / c.observation);
    ASSERT_OK(observation);
    const auto robot = make_robot(*files, observation->embodiment_tag);
    ASSERT_OK(robot);
    EXPECT_EQ(robot->tag, c.tag);
    EXPECT_EQ(robot->slot, c.slot);
    ASSERT_OK(robot->check(without_pictures(*observation)));
    for (const auto& [camera, frames] : observation->video)
      for (const fs::path& frame : frames) EXPECT_TRUE(fs::exists(frame)) << frame;
    const auto state = robot->state.normalize(observation->state, observation->name);
    ASSERT_OK(state);
    const auto taps = SafetensorsFile::open(*dir / "fp32.safetensors");
    ASSERT_OK(taps);
    const auto golden = taps->view(c.tap);
    ASSERT_OK(golden);
    expect_within_ulps(state->flat<float>(), golden->flat<float>(), 1);
  }
}

// Decoded actions of the whole runs: the chunk and the raw state give the golden's actions.
TEST(RobotFilesGolden, DecodedActionsOfWholeRuns) {
  for (const std::string name : {"n17_libero", "n17_droid", "n17_odd"}) {
    SCOPED_TRACE(name);
    const auto dir = test::golden_dir(name);
    if (!dir) GTEST_SKIP() << "the golden cases n17_* are not on this machine";
    const auto files = load_robot_files(*dir / "checkpoint");
    ASSERT_OK(files);
    const auto observation = load_observation(*dir / "inputs/observation.json");
    const auto robot = make_robot(*files, observation->embodiment_tag);
    ASSERT_OK(robot);
    const auto taps = SafetensorsFile::open(*dir / "fp32.safetensors");
    const auto chunk = taps->view("actions.normalized");
    ASSERT_OK(chunk);
    const auto actions = robot->actions.decode(*chunk, observation->state);
    ASSERT_OK(actions);
    for (const Action& action : *actions) {
      SCOPED_TRACE(action.key);
      const auto golden = taps->view("actions." + action.key);
      ASSERT_OK(golden);
      expect_within_ulps(action.values.flat<float>(), golden->flat<float>(), 1);
    }
  }
}

TEST(ObservationGolden, EveryVersionParses) {
  for (const std::string name : {"n15_one", "n15_multi", "n15_full", "n16_one", "n16_multi", "n16_full"}) {
    const auto dir = test::golden_dir(name);
    if (!dir) continue;
    const auto observation = load_observation(*dir / "inputs/observation.json");
    ASSERT_OK(observation);
    EXPECT_EQ(observation->data_config.has_value(), name.starts_with("n15"));
    EXPECT_FALSE(observation->video.empty() || observation->state.empty() || observation->language.empty());
  }
}

}  // namespace
}  // namespace ramet
