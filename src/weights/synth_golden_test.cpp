// Every tensor of every golden case, against the hashes that tools/synth.py gave.
#include "weights/checkpoint.h"
#include "weights/synth_case.h"
#include "weights/testing.h"

#include "support/paths.h"

namespace ramet {
namespace {

void synth_golden(const std::string& name, const SynthCaseOptions& options) {
  const auto dir = test::golden_dir(name);
  if (!dir) GTEST_SKIP() << "goldens/" << name << " is not here";
  const test::ScratchFolder folder;
  ThreadPool pool(2);
  const auto report = synth_from_case(*dir, folder / "out", options, pool);
  ASSERT_OK(report);
  EXPECT_EQ(report->hashes_checked, report->tensors);
  const auto checkpoint = Checkpoint::open(folder / "out");
  ASSERT_OK(checkpoint);
  EXPECT_EQ(checkpoint->bytes(), report->bytes);
}

class SynthGolden : public testing::TestWithParam<const char*> {};

TEST_P(SynthGolden, EveryHashIsTheListed) { synth_golden(GetParam(), {}); }
INSTANTIATE_TEST_SUITE_P(Cases, SynthGolden,
                         testing::Values("n15_one", "n15_multi", "n16_one", "n16_multi", "n17_droid", "n17_libero",
                                         "n17_odd", "n17_rtc", "qwen35_tower_72", "qwen3vl_tower_72", "qwen3vl_tower_a",
                                         "qwen3vl_video"),
                         [](const auto& chosen) { return std::string(chosen.param); });

class SynthGoldenFull : public testing::TestWithParam<const char*> {};

TEST_P(SynthGoldenFull, EveryHashIsTheListed) { synth_golden(GetParam(), {}); }
INSTANTIATE_TEST_SUITE_P(Cases, SynthGoldenFull,
                         testing::Values("n15_full", "n16_full", "n17_full", "qwen3vl_full", "qwen3vl_tower_2b",
                                         "qwen3vl_tower_2b_spiky"),
                         [](const auto& chosen) { return std::string(chosen.param); });

TEST(SynthGoldenSpikyFull, HashesOfTheSecondProfile) { synth_golden("n17_full", {.profile = SynthProfile::spiky}); }

}  // namespace
}  // namespace ramet
