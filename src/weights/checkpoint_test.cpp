#include "weights/checkpoint.h"

#include "weights/checkpoint_index.h"
#include "weights/checkpoint_kind.h"
#include "weights/testing.h"

#include <gmock/gmock.h>

namespace ramet {
namespace {

using test::ScratchFolder;
using test::write_tensors;
using testing::HasSubstr;

constexpr const char* kShard1 = "model-00001-of-00002.safetensors";
constexpr const char* kShard2 = "model-00002-of-00002.safetensors";

std::vector<TensorSpec> f32_scalars(const std::vector<std::string>& names) {
  std::vector<TensorSpec> specs;
  for (const std::string& name : names) specs.push_back({name, DType::f32, {1}});
  return specs;
}

void write_index(const ScratchFolder& folder, const std::string& text) {
  ASSERT_OK(write_file(folder / kIndexFile, text));
}

// Two shards, a and b in the first, c in the second, and the index in which `text` replaces the weight map.
void write_shards(const ScratchFolder& folder, const std::string& weight_map, const std::string& metadata = "{}") {
  write_tensors(folder / kShard1, f32_scalars({"a", "b"}));
  write_tensors(folder / kShard2, f32_scalars({"c"}));
  write_index(folder, fmt::format(R"({{"metadata":{},"weight_map":{}}})", metadata, weight_map));
}

std::string weight_map(const std::string& a, const std::string& b, const std::string& c) {
  return fmt::format(R"({{"a":"{}","b":"{}","c":"{}"}})", a, b, c);
}

TEST(Checkpoint, OneFileByDirectoryOrByName) {
  const ScratchFolder folder;
  write_tensors(folder / kSingleFile, f32_scalars({"x.2", "x.10"}));
  for (const auto& path : {folder.path(), folder / kSingleFile}) {
    const auto checkpoint = Checkpoint::open(path);
    ASSERT_OK(checkpoint);
    EXPECT_EQ(checkpoint->directory(), folder.path());
    EXPECT_EQ(checkpoint->bytes(), 8U);
    ASSERT_EQ(checkpoint->tensors().size(), 2U);
    EXPECT_EQ(checkpoint->tensors()[0].name, "x.10");
    EXPECT_EQ(checkpoint->tensors()[0].where(), (folder / kSingleFile).string() + ": x.10");
    EXPECT_OK(checkpoint->find("x.2")->view());
    EXPECT_EQ(checkpoint->find("x"), nullptr);
    EXPECT_EQ(checkpoint->with_prefix("x.1").size(), 1U);
  }
}

TEST(Checkpoint, Shards) {
  const ScratchFolder folder;
  write_shards(folder, weight_map(kShard1, kShard1, kShard2), R"({"total_size":12.0})");
  const auto checkpoint = Checkpoint::open(folder.path());
  ASSERT_OK(checkpoint);
  EXPECT_EQ(checkpoint->files().size(), 2U);
  EXPECT_EQ(checkpoint->find("c")->file->name(), (folder / kShard2).string());
}

TEST(Checkpoint, IndexAndShardsMustAgree) {
  struct Case {
    const char *what, *map, *metadata;
    Code code;
    const char* message;
  };
  const std::string good = weight_map(kShard1, kShard1, kShard2);
  const std::string moved = weight_map(kShard2, kShard1, kShard2);
  const std::string absent = weight_map(kShard1, kShard1, "model-00003-of-00002.safetensors");
  const std::string outside = weight_map(kShard1, kShard1, "../x.safetensors");
  const std::string absolute = weight_map(kShard1, kShard1, "/x.safetensors");
  const std::string other = weight_map(kShard1, kShard1, "config.json");
  const std::string fewer = fmt::format(R"({{"a":"{}","c":"{}"}})", kShard1, kShard2);
  const std::vector<Case> cases{
      {"tensor not in its shard", moved.c_str(), "{}", Code::invalid_file, ": a: expected this tensor in"},
      {"tensor without an entry", fewer.c_str(), "{}", Code::surplus, "found b"},
      {"shard absent", absent.c_str(), "{}", Code::not_found, "model-00003"},
      {"path upwards", outside.c_str(), "{}", Code::invalid_file, "../x.safetensors"},
      {"absolute path", absolute.c_str(), "{}", Code::invalid_file, "/x.safetensors"},
      {"not a safetensors file", other.c_str(), "{}", Code::invalid_file, "config.json"},
      {"empty map", "{}", "{}", Code::invalid_file, "at least one"},
      {"map is a list", "[]", "{}", Code::invalid_file, "weight_map"},
      {"file is a number", R"({"a":3})", "{}", Code::invalid_file, "weight_map.a"},
      {"wrong total", good.c_str(), R"({"total_size":13})", Code::invalid_file, "12 bytes"},
      {"total is negative", good.c_str(), R"({"total_size":-1})", Code::invalid_file, "total_size"},
      {"total is a text", good.c_str(), R"({"total_size":"12"})", Code::invalid_file, "total_size"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.what);
    const ScratchFolder folder;
    write_shards(folder, c.map, c.metadata);
    const auto checkpoint = Checkpoint::open(folder.path());
    EXPECT_CODE(checkpoint, c.code);
    EXPECT_THAT(checkpoint.error().message(), HasSubstr(c.message));
  }
}

TEST(Checkpoint, BrokenIndexFiles) {
  for (const char* text : {"", "[]", "{}", R"({"weight_map":null})", R"({"weight_map":{"a":"x","a":"y"}})"}) {
    SCOPED_TRACE(text);
    const ScratchFolder folder;
    write_index(folder, text);
    EXPECT_CODE(Checkpoint::open(folder.path()), Code::invalid_file);
  }
}

TEST(Checkpoint, LinksStayInTheDirectoryOrItsCache) {
  const ScratchFolder folder;
  std::filesystem::create_directories(folder / "snapshots/abc");
  std::filesystem::create_directories(folder / "blobs");
  std::filesystem::create_directories(folder / "elsewhere");
  write_tensors(folder / "blobs/0123", f32_scalars({"a"}));
  write_tensors(folder / "elsewhere/0123", f32_scalars({"a"}));
  const auto link = folder / "snapshots/abc/model.safetensors";
  std::filesystem::create_symlink("../../blobs/0123", link);
  EXPECT_OK(Checkpoint::open(folder / "snapshots/abc"));
  std::filesystem::remove(link);
  std::filesystem::create_symlink("../../elsewhere/0123", link);
  EXPECT_CODE(Checkpoint::open(folder / "snapshots/abc"), Code::invalid_file);
}

TEST(Checkpoint, NoWeights) {
  const ScratchFolder folder;
  EXPECT_CODE(Checkpoint::open(folder / "absent"), Code::not_found);
  EXPECT_CODE(Checkpoint::open(folder.path()), Code::not_found);
  write_tensors(folder / "adapter.safetensors", f32_scalars({"a"}));
  const auto checkpoint = Checkpoint::open(folder.path());
  EXPECT_CODE(checkpoint, Code::not_found);
  EXPECT_THAT(checkpoint.error().found, HasSubstr("adapter.safetensors"));
}

TEST(Checkpoint, GitLfsPointersAreNamed) {
  const ScratchFolder folder;
  ASSERT_OK(write_file(folder / kSingleFile, "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 5\n"));
  const auto checkpoint = Checkpoint::open(folder.path());
  EXPECT_CODE(checkpoint, Code::invalid_file);
  EXPECT_THAT(checkpoint.error().hint, HasSubstr("git lfs pull"));
}

TEST(Checkpoint, StripsAContainerPrefix) {
  const ScratchFolder folder;
  write_tensors(folder / kSingleFile, f32_scalars({"_groot_model.a", "_groot_model.b"}));
  const auto checkpoint = Checkpoint::open(folder.path(), kLeRobotPrefix);
  ASSERT_OK(checkpoint);
  EXPECT_NE(checkpoint->find("a"), nullptr);
  EXPECT_THAT(checkpoint->find("a")->where(), HasSubstr("_groot_model.a"));
  EXPECT_CODE(Checkpoint::open(folder.path(), "other."), Code::invalid_file);
}

TEST(CheckpointKind, IsToldByNames) {
  struct Case {
    std::vector<std::string> names;
    CheckpointKind kind;
    const char *tower, *description;
  };
  const std::vector<Case> cases{
      {{"backbone.eagle_model.mlp1.0.weight"}, CheckpointKind::groot_n15, "", "a GR00T N1.5 checkpoint"},
      {{"backbone.model.vision_model.vision_model.post_layernorm.bias"}, CheckpointKind::groot_n16, "", "N1.6"},
      {{"backbone.model.model.visual.patch_embed.proj.weight"},
       CheckpointKind::groot_n17,
       "backbone.model.model.visual.",
       "N1.7"},
      {{"_groot_model.backbone.model.model.visual.patch_embed.proj.weight"},
       CheckpointKind::groot_n17,
       "backbone.model.model.visual.",
       "a GR00T N1.7 checkpoint in LeRobot's layout"},
      {{"visual.patch_embed.proj.weight", "visual.blocks.0.mlp.linear_fc1.weight",
        "visual.deepstack_merger_list.0.norm.weight"},
       CheckpointKind::qwen3_vl,
       "visual.",
       "Qwen3-VL"},
      {{"patch_embed.proj.weight", "blocks.0.mlp.linear_fc1.weight"}, CheckpointKind::qwen3_5, "", "Qwen3.5"},
      {{"visual.patch_embed.proj.weight", "visual.blocks.0.mlp.gate_proj.weight"},
       CheckpointKind::unknown,
       "visual.",
       "does not know"},
      {{"layer.weight"}, CheckpointKind::unknown, "", "does not know"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.names.front());
    const ScratchFolder folder;
    write_tensors(folder / kSingleFile, f32_scalars(c.names));
    const auto checkpoint = Checkpoint::open(folder.path());
    ASSERT_OK(checkpoint);
    const CheckpointGuess result = guess(*checkpoint);
    EXPECT_EQ(result.kind, c.kind) << name(result.kind);
    EXPECT_EQ(result.tower_prefix, c.tower);
    EXPECT_THAT(result.description(), HasSubstr(c.description));
  }
}

}  // namespace
}  // namespace ramet
