// Synthetic directories in published layouts: the numbers of the specs, and that their own readers take them.
#include "policy/synth/layouts.h"

#include "policy/testing.h"
#include "support/assertions.h"
#include "support/paths.h"
#include "weights/tensor_list.h"
#include "weights/testing.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>

namespace ramet {
namespace {

using testing::Contains;
using testing::HasSubstr;

SynthLayout layout_of(std::string_view version, SynthSize size) { return published_layout(version, size).value(); }

int64_t bytes_of(const SynthLayout& layout) {
  int64_t bytes = 0;
  for (const TensorSpec& tensor : layout.tensors) bytes += static_cast<int64_t>(tensor.bytes());
  return bytes;
}

TEST(PublishedLayout, ReleasedN17) {
  const SynthLayout layout = layout_of("n17", SynthSize::full);
  EXPECT_EQ(layout.tensors.size(), 1031U);
  EXPECT_EQ(bytes_of(layout), 6910361856);
  for (const TensorSpec& tensor : layout.tensors) EXPECT_EQ(tensor.dtype, DType::bf16) << tensor.name;
}

// Name by name and shape by shape, the list that the original module tree gave.
class ReleasedLayout : public testing::TestWithParam<const char*> {};

TEST_P(ReleasedLayout, IsTheGoldenList) {
  const std::string version = GetParam();
  const auto dir = test::golden_dir(version + "_full");
  if (!dir) GTEST_SKIP() << "golden case " << version << "_full: not on this machine";
  const auto listed = load_tensor_list(*dir / "checkpoint/tensors.tsv");
  ASSERT_OK(listed);
  std::vector<std::string> golden, ours;
  for (const ListedTensor& tensor : *listed) golden.push_back(tensor.spec.name + " " + str(tensor.spec.shape));
  for (const TensorSpec& tensor : layout_of(version, SynthSize::full).tensors)
    ours.push_back(tensor.name + " " + str(tensor.shape));
  std::ranges::sort(golden);
  std::ranges::sort(ours);
  EXPECT_EQ(ours, golden);
}

INSTANTIATE_TEST_SUITE_P(Versions, ReleasedLayout, testing::Values("n15", "n16", "n17"));

TEST(PublishedLayout, EveryVersionInBothSizes) {
  EXPECT_THAT(synth_versions(), Contains("qwen3-vl-8b"));
  for (const std::string& version : synth_versions()) {
    EXPECT_GT(layout_of(version, SynthSize::full).tensors.size(), 100U) << version;
    const SynthLayout tiny = layout_of(version, SynthSize::tiny);
    EXPECT_LT(bytes_of(tiny), 200 << 20) << version;
    EXPECT_EQ(tiny.files.front().path, "config.json");
  }
}

TEST(PublishedLayout, UnknownVersion) {
  const auto layout = published_layout("n18", SynthSize::tiny);
  EXPECT_CODE(layout, Code::not_found);
  EXPECT_THAT(layout.error().message(), HasSubstr("n17"));
}

TEST(WriteLayout, WholeOrNotAtAll) {
  const test::ScratchFolder folder;
  ThreadPool pool(1);
  const SynthLayout layout = layout_of("qwen3.5-0.8b", SynthSize::tiny);
  const auto report = write_layout(layout, folder / "out", Existing::refuse, {}, pool);
  ASSERT_OK(report);
  EXPECT_EQ(report->tensors, static_cast<int64_t>(layout.tensors.size()));
  EXPECT_CODE(write_layout(layout, folder / "out", Existing::refuse, {}, pool), Code::usage);
  EXPECT_OK(write_layout(layout, folder / "out", Existing::replace, {}, pool));
  std::ofstream(folder / "file") << "in the way";
  EXPECT_FALSE(write_layout(layout, folder / "file/out", Existing::refuse, {}, pool));
}

}  // namespace
}  // namespace ramet
