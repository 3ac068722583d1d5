// Where the backbone's config is looked for, and in which order.
#include "policy/backbone_config.h"

#include "policy/synth/qwen_layout.h"
#include "support/assertions.h"
#include "weights/testing.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <fstream>

namespace ramet {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Backbone : public testing::Test {
 protected:
  // A config whose depth tells which file was read.
  void write(const fs::path& directory, int64_t depth) const {
    Qwen3VlConfig config = *published_qwen3_vl_config("nvidia/Cosmos-Reason2-2B");
    config.vision.depth = depth;
    fs::create_directories(directory);
    std::ofstream(directory / "config.json") << qwen_config_json(config).dump();
  }
  BackboneSearch search(const std::string& model_name = "nvidia/Cosmos-Reason2-2B") const {
    return {.chosen = {}, .checkpoint = folder_ / "dir", .hub_cache = folder_ / "hub", .model_name = model_name};
  }
  fs::path snapshot(const std::string& revision) const {
    return folder_ / "hub/models--nvidia--Cosmos-Reason2-2B/snapshots" / revision;
  }

  test::ScratchFolder folder_;
};

// What stands under the name is meant, so that it is not passed over for the table.
TEST_F(Backbone, AConfigThatIsNoFile) {
  fs::create_directories(folder_ / "dir/backbone/config.json");
  EXPECT_CODE(find_backbone_config(search()), Code::invalid_file);
}

TEST_F(Backbone, TableComesLast) {
  const auto found = find_backbone_config(search());
  ASSERT_OK(found);
  EXPECT_EQ(found->config.vision.depth, 24);
  EXPECT_TRUE(found->directory.empty());
  EXPECT_THAT(found->source, HasSubstr("nvidia/Cosmos-Reason2-2B"));
}

TEST_F(Backbone, CacheBeforeTable) {
  write(snapshot("b"), 21);
  write(snapshot("a"), 20);
  fs::create_directories(snapshot("0"));  // an interrupted download
  const auto found = find_backbone_config(search());
  ASSERT_OK(found);
  EXPECT_EQ(found->config.vision.depth, 20);
  EXPECT_EQ(found->directory, snapshot("a"));
}

TEST_F(Backbone, DirectoryBeforeCache) {
  write(snapshot("a"), 20);
  write(folder_ / "dir/backbone", 22);
  EXPECT_EQ(find_backbone_config(search())->config.vision.depth, 22);
}

TEST_F(Backbone, ChosenBeforeAll) {
  write(folder_ / "dir/backbone", 22);
  write(folder_ / "mine", 23);
  BackboneSearch chosen = search();
  chosen.chosen = folder_ / "mine";
  EXPECT_EQ(find_backbone_config(chosen)->config.vision.depth, 23);
  chosen.chosen = folder_ / "absent";
  EXPECT_CODE(find_backbone_config(chosen), Code::not_found);
}

TEST_F(Backbone, UnknownModelListsThePlaces) {
  const auto found = find_backbone_config(search("nvidia/Unheard-Of"));
  EXPECT_CODE(found, Code::not_found);
  for (const char* part : {"nvidia/Unheard-Of", "dir/backbone", "hub", "--backbone"})
    EXPECT_THAT(found.error().message(), HasSubstr(part));
}

TEST_F(Backbone, DamagedFileIsNotPassedOver) {
  fs::create_directories(folder_ / "dir/backbone");
  std::ofstream(folder_ / "dir/backbone/config.json") << "{";
  EXPECT_CODE(find_backbone_config(search()), Code::invalid_file);
}

}  // namespace
}  // namespace ramet
