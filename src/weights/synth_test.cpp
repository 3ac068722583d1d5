#include "weights/synth.h"

#include "weights/checkpoint.h"
#include "weights/safetensors.h"
#include "weights/synth_writer.h"
#include "weights/tensor_list.h"
#include "weights/testing.h"

#include <gmock/gmock.h>

#include <sys/resource.h>

namespace ramet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

template <class T>
std::vector<T> values(const TensorSpec& spec, SynthSeed seed, int64_t first, size_t count) {
  std::vector<T> result(count);
  SynthTensor(spec, seed).fill(first, std::as_writable_bytes(std::span(result)));
  return result;
}

// The check values of spec/synth.md.
TEST(Synth, CheckValues) {
  EXPECT_EQ(synth_key(1, "a.weight"), 0xaba7f98ffc54f176U);
  EXPECT_THAT(values<float>({"a.weight", DType::f32, {4, 3}}, {}, 0, 4),
              ElementsAre(0.2222594F, -0.5654955F, -0.12068486F, -0.6117923F));
  EXPECT_THAT(values<float>({"n.weight", DType::f32, {6}}, {.profile = SynthProfile::spiky}, 0, 4),
              ElementsAre(0.91458833F, 0.8173661F, 0.75351834F, 0.83071256F));
  EXPECT_THAT(values<uint16_t>({"x.bias", DType::bf16, {3}}, {}, 0, 3), ElementsAre(15401, 48408, 15638));
}

TEST(Synth, PartsAreTheWhole) {
  const TensorSpec spec{"blocks.0.norm1.weight", DType::bf16, {1000}};
  const SynthSeed seed{7, SynthProfile::spiky};
  const auto whole = values<uint16_t>(spec, seed, 0, 1000);
  const auto part = values<uint16_t>(spec, seed, 333, 500);
  EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + 333));
  EXPECT_NE(whole, values<uint16_t>(spec, {7, SynthProfile::plain}, 0, 1000));
  EXPECT_NE(whole, values<uint16_t>(spec, {8, SynthProfile::spiky}, 0, 1000));
}

// The largest magnitude that c and a of the rule allow, reached within one percent by 10000 values.
TEST(Synth, Amplitudes) {
  struct Case {
    const char* name;
    Shape shape;
    float low, high;
  };
  for (const Case& c :
       {Case{"llm.embed_tokens.weight", {100, 100}, -0.1F, 0.1F}, Case{"pos_embed.weight", {100, 100}, -0.1F, 0.1F},
        Case{"embeddings.position_embedding.weight", {100, 100}, -0.1F, 0.1F},
        Case{"future_tokens.weight", {100, 100}, -0.1F, 0.1F}, Case{"layer1.b", {100, 100}, -0.05F, 0.05F},
        Case{"norm.weight", {10000}, 0.75F, 1.25F}, Case{"layer1.W", {10, 3, 100}, -1.0F, 1.0F},
        Case{"proj.weight", {100, 3, 2, 2}, -0.5F, 0.5F}}) {
    SCOPED_TRACE(c.name);
    const auto v = values<float>({c.name, DType::f32, c.shape}, {}, 0, 10000);
    const auto [low, high] = std::minmax_element(v.begin(), v.end());
    const float slack = 0.01F * (c.high - c.low);
    EXPECT_GE(*low, c.low);
    EXPECT_LT(*low, c.low + slack);
    EXPECT_LE(*high, c.high);
    EXPECT_GT(*high, c.high - slack);
  }
}

TEST(TensorList, ReadsWhatTheToolWrites) {
  const auto list = parse_tensor_list("# comment\na.weight\tF32\t4,3\t0123456789abcdef\n\ns\tBF16\t\r\n", "t.tsv");
  ASSERT_OK(list);
  ASSERT_EQ(list->size(), 2U);
  EXPECT_EQ((*list)[0].spec, (TensorSpec{"a.weight", DType::f32, {4, 3}}));
  EXPECT_EQ((*list)[0].hash, "0123456789abcdef");
  EXPECT_EQ((*list)[1].spec, (TensorSpec{"s", DType::bf16, Shape{}}));
}

TEST(TensorList, RefusesBrokenLines) {
  struct Case {
    const char *text, *message;
    Code code = Code::invalid_file;
  };
  for (const Case& c :
       {Case{"", "at least one tensor"}, Case{"a\tF32", "line 1"}, Case{"a\tF32\t1\tx\ty", "line 1"},
        Case{"\tF32\t1", "name"}, Case{"a\tI32\t1", "F32 or BF16"}, Case{"a\tF32\t-1", "dimensions"},
        Case{"a\tF32\t1,", "dimensions"}, Case{"a\tF32\t2x", "dimensions"},
        Case{"a\tF32\t99999999999999999999", "dimensions"}, Case{"a\tF32\t1099511627776,1099511627776", "dimensions"},
        Case{"a\tF32\t0,4611686018427387904,4", "dimensions"},
        Case{"a\tF32\t1,1,1,1,1,1,1", "6 dimensions", Code::unsupported},
        Case{"a\tF32\t1099511627776\nb\tF32\t1", "in all"}, Case{"a\tF32\t1\txyz", "hexadecimal"},
        Case{"a\tF32\t1\na\tF32\t1", "a twice"}}) {
    SCOPED_TRACE(c.text);
    const auto list = parse_tensor_list(c.text, "t.tsv");
    EXPECT_CODE(list, c.code);
    EXPECT_THAT(list.error().message(), HasSubstr("t.tsv"));
    EXPECT_THAT(list.error().message(), HasSubstr(c.message));
  }
}

std::vector<ListedTensor> three_tensors() {
  return {{{"b.weight", DType::bf16, {1000, 3001}}, ""},
          {{"c.weight", DType::f32, {10, 10}}, ""},
          {{"a.norm.weight", DType::bf16, {64}}, ""}};
}

TEST(SynthWriter, ShardsHoldTheSameBytesAsOneFile) {
  const test::ScratchFolder one, many;
  ThreadPool pool(3);
  uint64_t last_done = 0, last_total = 1;
  const auto progress = [&](uint64_t done, uint64_t total) { last_done = done, last_total = total; };
  const auto report = write_synthetic(three_tensors(), "list", one.path(), {.progress = progress}, pool);
  ASSERT_OK(report);
  EXPECT_EQ(report->bytes, 1000U * 3001 * 2 + 400 + 128);
  EXPECT_EQ(last_done, last_total);
  ASSERT_OK(write_synthetic(three_tensors(), "list", many.path(), {.max_shard_bytes = 500}, pool));
  const auto single = Checkpoint::open(one.path());
  const auto sharded = Checkpoint::open(many.path());
  ASSERT_OK(single);
  ASSERT_OK(sharded);
  EXPECT_EQ(single->files().size(), 1U);
  EXPECT_EQ(sharded->files().size(), 3U);
  for (const CheckpointTensor& tensor : single->tensors()) {
    const auto other = sharded->find(tensor.name)->entry->bytes;
    EXPECT_TRUE(std::ranges::equal(tensor.entry->bytes, other)) << tensor.name;
  }
  const auto first = values<uint16_t>({"b.weight", DType::bf16, {1000, 3001}}, {}, 0, 1000 * 3001);
  EXPECT_TRUE(std::ranges::equal(single->find("b.weight")->entry->bytes, std::as_bytes(std::span(first))));
}

TEST(SynthWriter, WideTypesComeFirstInAFile) {
  const test::ScratchFolder folder;
  ThreadPool pool(1);
  ASSERT_OK(write_synthetic(three_tensors(), "list", folder.path(), {}, pool));
  const auto file = SafetensorsFile::open(folder / "model.safetensors");
  ASSERT_OK(file);
  EXPECT_LT(file->find("c.weight")->offset, file->find("a.norm.weight")->offset);
  EXPECT_LT(file->find("a.norm.weight")->offset, file->find("b.weight")->offset);
}

TEST(SynthWriter, AWrongHashIsAnErrorWithoutAFile) {
  const test::ScratchFolder folder;
  ThreadPool pool(2);
  auto tensors = three_tensors();
  tensors[0].hash = "0123456789abcdef";
  const auto report = write_synthetic(tensors, "list.tsv", folder.path(), {}, pool);
  EXPECT_CODE(report, Code::invalid_file);
  EXPECT_THAT(report.error().where, HasSubstr("list.tsv: b.weight"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

// A limit on the size of files stands in for a full disk.
TEST(SynthWriter, AFullDiskLeavesNothing) {
  const test::ScratchFolder folder;
  ThreadPool pool(2);
  rlimit old{};
  getrlimit(RLIMIT_FSIZE, &old);
  const rlimit small{1 << 20, old.rlim_max};
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  const auto report = write_synthetic(three_tensors(), "list", folder.path(), {}, pool);
  setrlimit(RLIMIT_FSIZE, &old);
  EXPECT_CODE(report, Code::no_resource);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(SynthWriter, MoreThanTheDiskHoldsIsRefusedAtOnce) {
  const test::ScratchFolder folder;
  ThreadPool pool(1);
  const std::vector<ListedTensor> huge{{{"a.weight", DType::f32, {1 << 20, 1 << 19}}, ""}};
  const auto report = write_synthetic(huge, "list", folder.path(), {}, pool);
  EXPECT_CODE(report, Code::no_resource);
  EXPECT_THAT(report.error().expected, HasSubstr("free space"));
}

}  // namespace
}  // namespace ramet
