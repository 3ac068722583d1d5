// Resized positions, pixel unshuffle and the program of N1.6: the numbers of the spec, and what the goldens cannot see.
#include "models/gr00t_n16.h"

#include "models/testing.h"

#include <gmock/gmock.h>

#include <numeric>

namespace ramet {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;

void expect_taps(const AxisTaps& taps, int64_t first, const std::vector<double>& weights) {
  EXPECT_EQ(taps.first, first);
  ASSERT_EQ(taps.weights.size(), weights.size());
  for (size_t i = 0; i < weights.size(); ++i) EXPECT_NEAR(taps.weights[i], weights[i], 1e-6);
}

TEST(AntialiasedTaps, NumbersOfTheSpec) {
  expect_taps(antialiased_taps(1, 16, 18), 0, {1.0 / 6, 5.0 / 6});
  expect_taps(antialiased_taps(2, 16, 18), 1, {.277778, .722222});
  expect_taps(antialiased_taps(8, 16, 18), 7, {.944444, .055556});
  expect_taps(antialiased_taps(0, 16, 12), 0, {.7, .3});
  expect_taps(antialiased_taps(0, 16, 10), 0, {.590909, .409091});
  expect_taps(antialiased_taps(0, 16, 8), 0, {.428571, .428571, .142857});
}

TEST(AntialiasedTaps, StayInTheTableAddUpAndMirror) {
  for (const int64_t target : {1, 2, 8, 10, 15, 16, 17, 18, 32, 100})
    for (int64_t o = 0; o < target; ++o) {
      const AxisTaps taps = antialiased_taps(o, 16, target), mirrored = antialiased_taps(target - 1 - o, 16, target);
      EXPECT_NEAR(std::accumulate(taps.weights.begin(), taps.weights.end(), 0.0), 1, 1e-12);
      EXPECT_GE(taps.first, 0);
      EXPECT_LE(taps.first + static_cast<int64_t>(taps.weights.size()), 16);
      std::vector<double> dense(16), mirror(16);
      for (size_t i = 0; i < taps.weights.size(); ++i) dense[static_cast<size_t>(taps.first) + i] = taps.weights[i];
      for (size_t i = 0; i < mirrored.weights.size(); ++i)
        mirror[15 - (static_cast<size_t>(mirrored.first) + i)] = mirrored.weights[i];
      for (size_t j = 0; j < 16; ++j) EXPECT_NEAR(dense[j], mirror[j], 1e-9) << target << " " << o << " " << j;
    }
}

TEST(PixelUnshuffle, TokenTenOfTheSpec) {
  constexpr int64_t kChannels = 3;
  const std::vector<Grid> grids{{1, 18, 18}, {1, 2, 4}};
  const std::vector<int64_t> places = pixel_unshuffle(grids, kChannels);
  ASSERT_EQ(places.size(), static_cast<size_t>((18 * 18 + 8) * kChannels));
  const auto token = [&](int64_t n) { return places.begin() + n * 4 * kChannels; };
  EXPECT_EQ(std::vector<int64_t>(token(10), token(10) + 4),
            (std::vector<int64_t>{38 * kChannels, 39 * kChannels, 56 * kChannels, 57 * kChannels}));
  EXPECT_EQ(token(10)[4], 38 * kChannels + 1);         // the next channel
  EXPECT_EQ(token(82)[0], (18 * 18 + 2) * kChannels);  // the second token of the second picture
}

Gr00tN16Sizes tiny_n16() {
  Gr00tN16Sizes sizes;
  sizes.backbone.embedding = {.hidden_size = 72, .patch_width = 12, .position_side = 3};
  sizes.backbone.vision = {.hidden_size = 72, .num_heads = 1, .intermediate_size = 20, .depth = 2};
  sizes.backbone.text = test::tiny_text();
  sizes.backbone.text.mrope_section = {4, 0, 0};
  sizes.adapter = {.hidden_size = 12};
  sizes.head = test::tiny_n17().head;
  return sizes;
}

class N16 : public testing::Test {
 protected:
  Program record() const {
    Layout layout = test::one_picture(9, 2, {1, 4, 6});
    layout.grids = {{1, 2, 6}, {1, 2, 6}};  // 6 tokens in both
    return model_.record(layout, {.slot = 1, .state_steps = 2, .steps = 1});
  }

  Gr00tN16Sizes sizes_ = tiny_n16();
  test::SyntheticCheckpoint checkpoint_{[&](WeightClaims& claims) { Gr00tN16Model(claims, sizes_); }};
  Gr00tN16Model model_{checkpoint_.claims(), sizes_};
};

TEST_F(N16, SizesAreReadOffTheTensors) {
  EXPECT_OK(checkpoint_.claims().finish());
  const Checkpoint& checkpoint = checkpoint_.claims().checkpoint();
  const auto sizes = stored_eagle_sizes(checkpoint);
  ASSERT_OK(sizes);
  EXPECT_EQ(sizes->embedding.patch_width, 12);
  EXPECT_EQ(sizes->embedding.position_side, 3);
  EXPECT_EQ(sizes->vision.num_heads, 1);
  EXPECT_EQ(sizes->vision.depth, 2);
  EXPECT_EQ(sizes->text.num_attention_heads, 4);
  EXPECT_EQ(sizes->text.num_key_value_heads, 2);
  EXPECT_EQ(sizes->text.num_hidden_layers, 3);
  EXPECT_EQ(stored_dit_blocks(checkpoint), 7);
  EXPECT_CODE(stored_eagle_sizes(Checkpoint()), Code::not_found);
}

TEST_F(N16, StagesAndInputs) {
  const Program program = record();
  EXPECT_THAT(program.stages, ElementsAre("vision", "llm", "adapter", "denoise"));
  std::map<std::string, std::string> shapes;
  for (const auto* list : {&program.inputs, &program.outputs})
    for (const Program::Named& named : *list) shapes[named.name] = str(program.shape(named.value));
  EXPECT_THAT(shapes,
              ElementsAre(std::pair("actions", "[6,5]"), std::pair("input_ids", "[9]"), std::pair("noise", "[6,5]"),
                          std::pair("pixels", "[24,12]"), std::pair("state", "[2,7]")));
}

TEST_F(N16, EpsOfEveryNorm) {
  const Program program = record();
  auto vision = test::ops_of<ops::LayerNorm>(program, "vision");
  ASSERT_EQ(vision.size(), 6U);  // two in each block, post_layernorm, mlp1.0
  EXPECT_EQ(vision.back().eps, 1e-5F);
  vision.pop_back();
  EXPECT_THAT(vision, Each(Field(&ops::LayerNorm::eps, 1e-6F)));
  const auto text = test::ops_of<ops::RmsNorm>(program, "llm");
  EXPECT_EQ(text.size(), 3U * 4U + 1U);  // the last is the final norm
  EXPECT_THAT(text, Each(Field(&ops::RmsNorm::eps, 1e-6F)));
  EXPECT_THAT(test::ops_of<ops::LayerNorm>(program, "adapter"), ElementsAre(Field(&ops::LayerNorm::eps, 1e-5F)));
}

TEST_F(N16, PicturesDoNotSeeEachOther) {
  for (const auto& attention : test::ops_of<ops::Attention>(record(), "vision")) {
    ASSERT_EQ(attention.segments.size(), 2U);
    EXPECT_EQ(attention.segments[0].k_end, 12);
    EXPECT_EQ(attention.segments[1].k_begin, 12);
    EXPECT_FALSE(attention.causal);
  }
}

TEST_F(N16, EvenBlocksReadTextThenPicture) {
  std::vector<int64_t> rows;
  for (const auto& attention : test::ops_of<ops::Attention>(record(), "denoise"))
    rows.push_back(attention.segments.at(0).k_end);
  EXPECT_THAT(rows, ElementsAre(3, 8, 6, 8, 3, 8, 6));  // 3 words, 6 tokens of pictures, 2 states with 6 actions
}

TEST(StoredEagleSizes, HeadsThatDoNotDivide) {
  Gr00tN16Sizes sizes = tiny_n16();
  sizes.backbone.embedding.hidden_size = sizes.backbone.vision.hidden_size = 70;
  test::SyntheticCheckpoint checkpoint([&](WeightClaims& claims) { Gr00tN16Model(claims, sizes); });
  const auto stored = stored_eagle_sizes(checkpoint.claims().checkpoint());
  EXPECT_CODE(stored, Code::shape_mismatch);
  EXPECT_THAT(stored.error().message(), HasSubstr("q_proj"));
}

}  // namespace
}  // namespace ramet
