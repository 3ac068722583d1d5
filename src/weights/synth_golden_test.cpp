// Every tensor of every golden case, against the hashes that tools/synth.py gave.
#include "weights/checkpoint.h"
#include "weights/sha256.h"
#include "weights/synth_case.h"
#include "weights/testing.h"

#include "support/paths.h"

namespace ramet {
namespace {

class SynthGolden : public testing::TestWithParam<const char*> {};

TEST_P(SynthGolden, EveryHashIsTheListed) {
  const auto dir = test::golden_dir(GetParam());
  if (!dir) GTEST_SKIP() << "goldens/" << GetParam() << " is not here";
  const test::ScratchFolder folder;
  ThreadPool pool(2);
  const auto report = synth_from_case(*dir, folder / "out", {}, pool);
  ASSERT_OK(report);
  EXPECT_EQ(report->hashes_checked, report->tensors);
  const auto checkpoint = Checkpoint::open(folder / "out");
  ASSERT_OK(checkpoint);
  EXPECT_EQ(checkpoint->bytes(), report->bytes);
}

INSTANTIATE_TEST_SUITE_P(Cases, SynthGolden,
                         testing::Values("n15_one", "n15_multi", "n16_one", "n16_multi", "n17_droid", "n17_libero",
                                         "n17_odd", "n17_rtc", "qwen35_tower_72", "qwen3vl_tower_72", "qwen3vl_tower_a",
                                         "qwen3vl_video"),
                         [](const auto& chosen) { return std::string(chosen.param); });

// The published sizes: nothing is written, since one such checkpoint is 6 GB.
struct FullList {
  const char *name, *list;
  SynthSeed seed;
};

std::string hash_of(const TensorSpec& spec, const SynthSeed& seed) {
  constexpr int64_t kElements = 1 << 16;
  const SynthTensor values(spec, seed);
  std::vector<std::byte> part(kElements * 4);
  Sha256 hash;
  for (int64_t first = 0; first < spec.shape.elements(); first += kElements) {
    const int64_t count = std::min(kElements, spec.shape.elements() - first);
    const auto bytes = std::span(part).first(static_cast<size_t>(count * size_bytes(spec.dtype)));
    values.fill(first, bytes);
    hash.update(bytes);
  }
  return hash.finish();
}

class SynthGoldenFull : public testing::TestWithParam<FullList> {};

TEST_P(SynthGoldenFull, EveryHashIsTheListed) {
  const auto& [name, list, seed] = GetParam();
  const auto dir = test::golden_dir(name);
  if (!dir) GTEST_SKIP() << "goldens/" << name << " is not here";
  const auto tensors = load_tensor_list(*dir / "checkpoint" / list);
  ASSERT_OK(tensors);
  for (const ListedTensor& tensor : *tensors)
    EXPECT_EQ(hash_of(tensor.spec, seed).substr(0, tensor.hash.size()), tensor.hash) << tensor.spec.name;
}

INSTANTIATE_TEST_SUITE_P(Cases, SynthGoldenFull,
                         testing::Values(FullList{"n16_full", "tensors.tsv", {31, SynthProfile::plain}},
                                         FullList{"n17_full", "tensors.tsv", {1705, SynthProfile::plain}},
                                         FullList{"n17_full", "tensors.spiky.tsv", {1705, SynthProfile::spiky}},
                                         FullList{"qwen3vl_full", "tensors.tsv", {20, SynthProfile::plain}},
                                         FullList{"qwen3vl_tower_2b", "tensors.tsv", {1, SynthProfile::plain}},
                                         FullList{"qwen3vl_tower_2b_spiky", "tensors.tsv", {1, SynthProfile::spiky}}),
                         [](const auto& chosen) {
                           return fmt::format("{}_{}_{}", chosen.param.name, name(chosen.param.seed.profile),
                                              chosen.index);
                         });

}  // namespace
}  // namespace ramet
