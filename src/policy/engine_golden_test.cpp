// What the switches change, on the model of a golden case. The case itself is compared by tests/e2e.
#include "policy/engine.h"

#include "policy/image/decode.h"
#include "policy/robot/observation.h"
#include "policy/testing.h"
#include "support/assertions.h"
#include "support/made_once.h"
#include "support/paths.h"
#include "weights/safetensors.h"
#include "weights/synth_case.h"

#include <gmock/gmock.h>

namespace ramet {
namespace {

class N17Libero : public testing::Test {
 protected:
  void SetUp() override {
    const auto found = test::golden_dir("n17_libero");
    if (!found) GTEST_SKIP() << "golden case n17_libero: not on this machine";
    case_ = *found;
    directory_ = test::made_once("n17_libero", [&](const std::filesystem::path& out) {
      ThreadPool pool(2);
      ASSERT_OK(synth_from_case(case_, out, {}, pool));
    });
    load_observation_of_case();
  }

  void load_observation_of_case() {
    const ObservationFiles files = load_observation(case_ / "inputs/observation.json").value();
    observation_ = {.name = files.name, .state = files.state, .language = files.language};
    for (const auto& [camera, paths] : files.video)
      for (const auto& path : paths) {
        const Image& image = images_.emplace_back(read_image(path).value());
        observation_.video[camera].push_back({image.bytes(), image.height(), image.width()});
      }
    const auto file = SafetensorsFile::open(case_ / "inputs/noise.safetensors").value();
    const ConstView view = file.view(file.entries()[0]).value();
    noise_ = {{view.shape()[0], view.shape()[1]}, {view.flat<float>().begin(), view.flat<float>().end()}};
  }

  using Taps = std::map<std::string, std::vector<float>>;

  Taps run(const std::map<std::string, std::string>& quirks) {
    PolicyOptions options{.embodiment = test::kLibero};
    options.engine = {.threads = 2, .tokenizer = case_.parent_path() / "tokenizer", .quirks = quirks};
    const auto engine = PolicyEngine::open(directory_, options).value();
    const auto actions =
        engine->act(observation_, {.noise = noise_, .taps = {"vision.out", "llm.out", "actions.normalized"}});
    EXPECT_OK(actions);
    Taps taps;
    for (const Tap& tap : actions->taps) taps[tap.name] = tap.floats;
    return taps;
  }

  std::filesystem::path case_, directory_;
  std::vector<Image> images_;
  Observation observation_;
  FloatArray noise_;
};

// With the frequencies alone rounded the spec measured 2.4e-4 after the tower, 7.1e-4 in the features and 2.3e-4 in the
// actions; a live policy rounds the tower's angles, cosines and sines too, which must cost more, but less than all of
// bf16: 8e-3, 9e-3 and 5e-3.
TEST_F(N17Libero, RoundedRotaryTables) {
  const Taps exact = run({{"rope", "exact"}}), rounded = run({{"rope", "bf16"}});
  EXPECT_EQ(exact, run({}));
  const auto distance = [&](const char* tap) { return test::rel_l2(rounded.at(tap), exact.at(tap)); };
  const auto between = [](double low, double high) { return testing::AllOf(testing::Gt(low), testing::Lt(high)); };
  EXPECT_THAT(distance("vision.out"), between(2.4e-4, 8e-3));
  EXPECT_THAT(distance("llm.out"), between(7.1e-4, 9e-3));
  EXPECT_THAT(distance("actions.normalized"), between(2.3e-4, 5e-3));
}

}  // namespace
}  // namespace ramet
