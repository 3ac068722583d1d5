// What the goldens cannot see of the N1.7 program: its eps, and which rows each denoiser block reads.
#include "models/testing.h"

#include <gmock/gmock.h>

namespace ramet {
namespace {

using testing::ElementsAre;

class N17 : public testing::Test {
 protected:
  static constexpr int64_t kTokens = 9, kVisual = 6, kText = 3, kDenoised = 7;  // a state token and six actions

  explicit N17(const Gr00tN17Sizes& sizes = test::tiny_n17())
      : sizes_(sizes),
        checkpoint_([&](WeightClaims& claims) { Gr00tN17Model(claims, sizes_); }),
        model_(checkpoint_.claims(), sizes_) {}

  Program record(int64_t slot = 1, int64_t steps = 4) const {
    return model_.record(test::one_picture(kTokens, 2, {1, 4, 6}), slot, steps);
  }
  test::Values act(int64_t slot, int64_t steps, float noise_shift = 0) {
    test::Values noise = test::numbers(6 * 5, 3);
    for (float& value : noise) value += noise_shift;
    return test::run(record(slot, steps), checkpoint_.pool(),
                     {{"pixels", test::numbers(24 * sizes_.vision.patch_width())},
                      {"input_ids", {3, 1, 4, 1, 5, 9, 2, 6, 49}},
                      {"state", test::numbers(7, 2)},
                      {"noise", noise}})["actions"];
  }
  // Rows that the attention of each denoiser block reads in the first step.
  std::vector<int64_t> rows_read() const {
    std::vector<int64_t> rows;
    for (const auto& attention : test::ops_of<ops::Attention>(record(1, 1), "denoise"))
      rows.push_back(attention.segments.at(0).k_end);
    return rows;
  }

  Gr00tN17Sizes sizes_;
  test::SyntheticCheckpoint checkpoint_;
  Gr00tN17Model model_;
};

TEST_F(N17, ClaimsEveryTensor) {
  EXPECT_OK(checkpoint_.claims().finish());
  const Gr00tN17Depths depths = stored_depths(checkpoint_.claims().checkpoint());
  EXPECT_EQ(depths.vision_blocks, 4);
  EXPECT_EQ(depths.text_layers, 3);
  EXPECT_EQ(depths.vl_self_attention_blocks, 1);
  EXPECT_EQ(depths.dit_blocks, 7);
}

TEST_F(N17, StagesAndInputs) {
  const Program program = record();
  EXPECT_THAT(program.stages, ElementsAre("vision", "llm", "adapter", "denoise"));
  std::map<std::string, std::string> shapes;
  for (const auto* list : {&program.inputs, &program.outputs})
    for (const Program::Named& named : *list) shapes[named.name] = str(program.shape(named.value));
  EXPECT_THAT(shapes,
              ElementsAre(std::pair("actions", "[6,5]"), std::pair("input_ids", "[9]"), std::pair("noise", "[6,5]"),
                          std::pair("pixels", "[24,24]"), std::pair("state", "[1,7]")));
}

TEST_F(N17, EpsOfEveryNorm) {
  const Program program = record(1, 1);
  for (const auto& norm : test::ops_of<ops::LayerNorm>(program, "vision")) EXPECT_EQ(norm.eps, 1e-6F);
  for (const auto& norm : test::ops_of<ops::RmsNorm>(program, "llm")) EXPECT_EQ(norm.eps, 1e-6F);
  const auto adapter = test::ops_of<ops::LayerNorm>(program, "adapter");
  EXPECT_EQ(adapter.size(), 3U);  // vlln, norm1, norm3
  for (const auto& norm : adapter) EXPECT_EQ(norm.eps, 1e-5F);
  const auto feed_forward = test::ops_of<ops::LayerNorm>(program, "denoise");
  EXPECT_EQ(feed_forward.size(), 7U);
  for (const auto& norm : feed_forward) EXPECT_EQ(norm.eps, 1e-5F);
  const auto modulated = test::ops_of<ops::AdaLayerNorm>(program, "denoise");
  ASSERT_EQ(modulated.size(), 8U);
  for (size_t i = 0; i < 7; ++i) EXPECT_EQ(modulated[i].eps, 1e-5F);
  EXPECT_EQ(modulated[7].eps, 1e-6F);  // of the output
}

TEST_F(N17, ScaleIsThatOfTheHeadWidth) {
  for (const auto& attention : test::ops_of<ops::Attention>(record(1, 1), "denoise")) {
    EXPECT_EQ(attention.scale, static_cast<float>(1 / std::sqrt(6.0)));
    EXPECT_FALSE(attention.causal);
  }
}

TEST_F(N17, EvenBlocksReadTextThenPicture) {
  EXPECT_THAT(rows_read(), ElementsAre(kText, kDenoised, kVisual, kDenoised, kText, kDenoised, kVisual));
}

TEST_F(N17, SlotsAreDifferentRobots) { EXPECT_NE(act(0, 2), act(1, 2)); }

TEST_F(N17, StepsRefineTheChunk) {
  EXPECT_NE(act(1, 1), act(1, 2));
  const auto bound = [&](int64_t steps) { return test::ops_of<ops::AddScaled>(record(1, steps), "denoise"); };
  ASSERT_EQ(bound(8).size(), 8U);
  for (const auto& euler : bound(8)) EXPECT_EQ(euler.alpha, 0.125F);
}

TEST_F(N17, NoiseMattersAndRunsRepeat) {
  EXPECT_EQ(act(1, 2), act(1, 2));
  EXPECT_NE(act(1, 2), act(1, 2, 0.5F));
}

Gr00tN17Sizes altered(void (*change)(Gr00tN17Sizes&)) {
  Gr00tN17Sizes sizes = test::tiny_n17();
  change(sizes);
  return sizes;
}

struct EveryThird : N17 {
  EveryThird() : N17(altered([](Gr00tN17Sizes& sizes) { sizes.head.dit.attend_text_every_n_blocks = 3; })) {}
};
TEST_F(EveryThird, ReadsTextEveryThirdTime) {
  EXPECT_THAT(rows_read(), ElementsAre(kText, kDenoised, kVisual, kDenoised, kVisual, kDenoised, kText));
}

struct Everything : N17 {
  Everything() : N17(altered([](Gr00tN17Sizes& sizes) { sizes.head.dit.alternate_text_and_image = false; })) {}
};
TEST_F(Everything, ReadsAllRows) {
  EXPECT_THAT(rows_read(), ElementsAre(kTokens, kDenoised, kTokens, kDenoised, kTokens, kDenoised, kTokens));
}

struct Bare : N17 {
  Bare()
      : N17(altered([](Gr00tN17Sizes& sizes) {
          sizes.adapter.use_vlln = false;
          sizes.adapter.num_layers = 0;
          sizes.head.add_pos_embed = false;
        })) {}
};
// A stage of no ops, and no position table.
TEST_F(Bare, RunsWithoutAdapterAndPositions) {
  EXPECT_OK(checkpoint_.claims().finish());
  EXPECT_TRUE(test::ops_of<ops::LayerNorm>(record(), "adapter").empty());
  for (const auto& wish : checkpoint_.claims().wishes())
    EXPECT_EQ(wish.name.find("position_embedding"), std::string::npos);
  EXPECT_EQ(act(1, 2).size(), 30U);
}

}  // namespace
}  // namespace ramet
