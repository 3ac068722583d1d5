// Numbers of tensors and parameters of the published models, from what the modules claim.
#include "models/qwen3_vl.h"

#include <gtest/gtest.h>

#include <set>

namespace ramet {
namespace {

struct Count {
  int64_t tensors = 0;
  double parameters = 0;
};

Count count(const WeightClaims& claims) {
  Count total;
  std::set<std::string> names;
  for (const WeightClaims::Wish& wish : claims.wishes()) {
    EXPECT_TRUE(names.insert(wish.name).second) << wish.name;
    ++total.tensors;
    total.parameters += static_cast<double>(wish.shape.elements());
  }
  return total;
}

const Qwen3VlConfig& published(std::string_view name) {
  static const std::vector<PublishedModel> models = published_qwen3_vl_models();
  for (const PublishedModel& model : models)
    if (model.name == name) return model.config;
  ADD_FAILURE() << name;
  return models.front().config;
}

struct TowerRow {
  const char* model;
  int64_t tensors;
  double millions;
};

class PublishedTower : public testing::TestWithParam<TowerRow> {};

TEST_P(PublishedTower, TensorsAndParameters) {
  const Checkpoint none;
  WeightClaims claims(none);
  QwenVisionTower(WeightScope(claims, "model.visual", Category::vision), published(GetParam().model).vision);
  const Count total = count(claims);
  EXPECT_EQ(total.tensors, GetParam().tensors);
  EXPECT_NEAR(total.parameters / 1e6, GetParam().millions, 0.05);
}

INSTANTIATE_TEST_SUITE_P(
    Models, PublishedTower,
    testing::Values(TowerRow{"nvidia/Cosmos-Reason2-2B", 315, 407.0}, TowerRow{"Qwen/Qwen3-VL-2B-Instruct", 315, 407.0},
                    TowerRow{"Qwen/Qwen3-VL-4B-Instruct", 315, 415.3},
                    TowerRow{"Qwen/Qwen3-VL-8B-Instruct", 351, 576.4},
                    TowerRow{"Qwen/Qwen3-VL-32B-Instruct", 351, 595.3},
                    TowerRow{"Qwen/Qwen3-VL-30B-A3B-Instruct", 351, 538.6}, TowerRow{"Qwen/Qwen3.5-0.8B", 153, 100.6},
                    TowerRow{"Qwen/Qwen3.5-2B", 297, 331.4}, TowerRow{"Qwen/Qwen3.5-4B", 297, 333.5},
                    TowerRow{"Qwen/Qwen3.5-9B", 333, 456.0}, TowerRow{"Qwen/Qwen3.5-27B", 333, 460.7}),
    [](const auto& row) {
      std::string name;
      for (const char c : std::string_view(row.param.model)) name += std::isalnum(c) ? c : '_';
      return name;
    });

TEST(PublishedModel, TextStackIsElevenTensorsALayer) {
  for (const char* name : {"Qwen/Qwen3-VL-2B-Instruct", "Qwen/Qwen3-VL-8B-Instruct"}) {
    const Qwen3VlConfig& config = published(name);
    const Checkpoint none;
    WeightClaims whole(none), tower(none);
    Qwen3VlModel(whole, config.vision, *config.text);
    QwenVisionTower(WeightScope(tower, "model.visual", Category::vision), config.vision);
    const int64_t head = config.text->tie_word_embeddings ? 0 : 1;
    EXPECT_EQ(count(whole).tensors - count(tower).tensors, 11 * config.text->num_hidden_layers + 2 + head) << name;
  }
}

TEST(PublishedModel, ConfigsAreConsistent) {
  for (const PublishedModel& model : published_qwen3_vl_models()) {
    const QwenVisionConfig& vision = model.config.vision;
    EXPECT_EQ(vision.position_side(), 48) << model.name;
    EXPECT_EQ(vision.patch_width(), 1536) << model.name;
    EXPECT_TRUE(vision.head_dim() == 64 || vision.head_dim() == 72) << model.name;
    if (!model.config.text) continue;
    EXPECT_EQ(vision.out_hidden_size, model.config.text->hidden_size) << model.name;
    EXPECT_EQ(model.config.text->head_dim, 128) << model.name;
  }
  EXPECT_FALSE(published_qwen3_vl_config("Qwen/Qwen9"));
}

}  // namespace
}  // namespace ramet
