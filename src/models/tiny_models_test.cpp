// Properties that tiny towers and text stacks must have whatever their weights, and constants no golden can see.
#include "models/testing.h"

#include <gmock/gmock.h>

#include <bit>

namespace ramet {
namespace {

using test::rows;
using test::Values;
using testing::Each;
using testing::ElementsAre;

class Tower : public testing::Test {
 protected:
  static constexpr int64_t kWidth = 12;  // of a merged row

  explicit Tower(QwenVisionConfig config = test::tiny_tower())
      : config_(std::move(config)),
        checkpoint_(
            [&](WeightClaims& claims) { QwenVisionTower(WeightScope(claims, "v", Category::vision), config_); }),
        tower_(WeightScope(checkpoint_.claims(), "v", Category::vision), config_) {}

  std::map<std::string, Values> encode(const std::vector<Grid>& grids, const Values& pixels) {
    return test::run(record_tower(tower_, grids, Frames::distinct), checkpoint_.pool(), {{"pixels", pixels}});
  }
  int64_t pixels_of(const Grid& grid) const { return grid.patches() * config_.patch_width(); }

  QwenVisionConfig config_;
  test::SyntheticCheckpoint checkpoint_;
  QwenVisionTower tower_;
};

Values joined(Values a, const Values& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST_F(Tower, ClaimsEveryTensor) { EXPECT_OK(checkpoint_.claims().finish()); }

TEST_F(Tower, PicturesDoNotSeeEachOther) {
  const Grid a{1, 4, 6}, b{1, 2, 4};
  const Values pixels_a = test::numbers(pixels_of(a), 1), pixels_b = test::numbers(pixels_of(b), 2);
  auto alone_a = encode({a}, pixels_a), alone_b = encode({b}, pixels_b);
  auto ab = encode({a, b}, joined(pixels_a, pixels_b)), ba = encode({b, a}, joined(pixels_b, pixels_a));
  for (const char* name : {"out", "deepstack.0", "deepstack.1"}) {
    EXPECT_EQ(ab[name], joined(alone_a[name], alone_b[name])) << name;
    EXPECT_EQ(ba[name], joined(alone_b[name], alone_a[name])) << name;
  }
}

TEST_F(Tower, EqualFramesGiveEqualRows) {
  const Grid frame{1, 4, 4};
  const Values pixels = test::numbers(pixels_of(frame));
  auto one = encode({frame}, pixels), two = encode({{2, 4, 4}}, joined(pixels, pixels));
  for (const char* name : {"out", "deepstack.0", "deepstack.1"})
    EXPECT_EQ(two[name], joined(one[name], one[name])) << name;
}

TEST_F(Tower, PositionsAndSecondFrameMatter) {
  const Grid grid{1, 4, 4};
  const Values patch = test::numbers(config_.patch_width());
  Values same;
  for (int64_t i = 0; i < grid.patches(); ++i) same = joined(same, patch);
  const Values out = encode({grid}, same)["out"];
  EXPECT_NE(rows(out, kWidth, 0, 1), rows(out, kWidth, 1, 2));
  Values other = same;
  other[static_cast<size_t>(config_.patch_width() / 3 - 1)] += 1;  // last pixel of the second frame, first channel
  EXPECT_NE(encode({grid}, other)["out"], out);
}

// Level k is the merger k of block deepstack_visual_indexes[k], 0-based, and leaves the block's output alone.
TEST_F(Tower, LevelsFollowTheirBlocks) {
  std::vector<std::string> names;
  for (const Program::Named& tap : record_tower(tower_, {{1, 2, 2}}, Frames::repeated).taps) names.push_back(tap.name);
  EXPECT_THAT(names, ElementsAre("vision.patch_proj", "vision.patch_embed", "vision.rope.cos", "vision.rope.sin",
                                 "vision.block.0", "vision.deepstack.0", "vision.block.1", "vision.block.2",
                                 "vision.deepstack.1", "vision.block.3", "vision.out"));
}

TEST_F(Tower, ActivationsAndNorms) {
  const Program program = record_tower(tower_, {{1, 2, 2}}, Frames::repeated);
  using Kind = ops::Activation::Kind;
  std::vector<Kind> kinds;
  for (const auto& op : test::ops_of<ops::Activation>(program, "vision")) kinds.push_back(op.kind);
  EXPECT_THAT(kinds, ElementsAre(Kind::gelu_tanh, Kind::gelu_erf, Kind::gelu_tanh, Kind::gelu_tanh, Kind::gelu_erf,
                                 Kind::gelu_tanh, Kind::gelu_erf));
  const auto norms = test::ops_of<ops::LayerNorm>(program, "vision");
  EXPECT_EQ(norms.size(), 4U * 2 + 3);
  for (const auto& norm : norms) EXPECT_EQ(norm.eps, 1e-6F);
  for (const auto& attention : test::ops_of<ops::Attention>(program, "vision")) EXPECT_FALSE(attention.causal);
}

// The final merger normalises patches, the others the four patches of a token.
TEST_F(Tower, WidthsOfMergerNorms) {
  const auto& wishes = checkpoint_.claims().wishes();
  const auto shape = [&](std::string_view name) {
    return str(std::ranges::find(wishes, name, &WeightClaims::Wish::name)->shape);
  };
  EXPECT_EQ(shape("v.merger.norm.weight"), "[16]");
  EXPECT_EQ(shape("v.deepstack_merger_list.1.norm.weight"), "[64]");
  EXPECT_EQ(shape("v.patch_embed.proj.weight"), "[16,3,2,2,2]");
}

class WideHeads : public Tower {
 protected:
  WideHeads() : Tower(config()) {}
  static QwenVisionConfig config() {
    QwenVisionConfig c = test::tiny_tower();
    c.hidden_size = 144;
    c.depth = 1;
    c.deepstack_visual_indexes = {};
    return c;
  }
};

// 1 / sqrt(72) in double, then rounded: float32 arithmetic gives 0x3DF15BF0.
TEST_F(WideHeads, ScaleOfHeadsOf72) {
  const auto attention = test::ops_of<ops::Attention>(record_tower(tower_, {{1, 2, 2}}, Frames::repeated), "vision");
  ASSERT_EQ(attention.size(), 1U);
  EXPECT_EQ(std::bit_cast<uint32_t>(attention[0].scale), 0x3DF15BEFU);
}

class TextStack : public testing::Test {
 protected:
  static constexpr int64_t kTokens = 9, kFirst = 2, kVisual = 6;
  static constexpr int64_t kWidth = 12;

  TextStack()
      : checkpoint_(
            [&](WeightClaims& claims) { Qwen3TextModel(WeightScope(claims, "t", Category::llm), test::tiny_text()); }),
        model_(WeightScope(checkpoint_.claims(), "t", Category::llm), test::tiny_text()) {}

  Program record(const Layout& layout, int64_t levels) const {
    Recorder rec;
    const Value ids = rec.input("ids", DType::i64, {kTokens});
    VisualRows visual{rec.input("merged", DType::f32, {kVisual, kWidth}), {}};
    for (int64_t k = 0; k < levels; ++k)
      visual.deepstack.push_back(rec.input("level" + std::to_string(k), DType::f32, {kVisual, kWidth}));
    rec.begin_stage("llm");
    rec.output("h", model_.record(rec, ids, layout.text, visual));
    return std::move(rec).finish();
  }
  Values run(const std::map<std::string, Values>& inputs, int64_t levels,
             const Layout& layout = test::one_picture(kTokens, kFirst, {1, 4, 6})) {
    return test::run(record(layout, levels), checkpoint_.pool(), inputs)["h"];
  }
  static std::map<std::string, Values> inputs(int64_t levels) {
    std::map<std::string, Values> result{{"ids", {3, 1, 4, 1, 5, 9, 2, 6, 49}},
                                         {"merged", test::numbers(kVisual * kWidth)}};
    for (int64_t k = 0; k < levels; ++k)
      result["level" + std::to_string(k)] = test::numbers(kVisual * kWidth, 10 + static_cast<uint64_t>(k));
    return result;
  }

  test::SyntheticCheckpoint checkpoint_;
  Qwen3TextModel model_;
};

TEST_F(TextStack, VisualRowsReplaceTokens) {
  auto given = inputs(0);
  const Values h = run(given, 0);
  given["ids"][kFirst + 1] = 20;
  EXPECT_EQ(run(given, 0), h);
  given["merged"][0] += 1;
  EXPECT_NE(run(given, 0), h);
}

TEST_F(TextStack, IsCausal) {
  auto given = inputs(2);
  const Values h = run(given, 2);
  given["ids"].back() = 7;
  const Values changed = run(given, 2);
  EXPECT_EQ(rows(changed, kWidth, 0, kTokens - 1), rows(h, kWidth, 0, kTokens - 1));
  EXPECT_NE(changed, h);
}

// What the last layer adds is added after it: no other row can see it.
TEST_F(TextStack, LastLevelChangesVisualRowsOnly) {
  auto given = inputs(3);
  const Values h = run(given, 3);
  given["level2"] = Values(kVisual * kWidth, 0.0F);
  const Values changed = run(given, 3);
  for (int64_t t = 0; t < kTokens; ++t) {
    const bool is_visual = t >= kFirst && t < kFirst + kVisual;
    EXPECT_EQ(rows(h, kWidth, t, t + 1) == rows(changed, kWidth, t, t + 1), !is_visual) << t;
  }
}

TEST_F(TextStack, LevelsAreNotInterchangeable) {
  auto given = inputs(2);
  const Values h = run(given, 2);
  std::swap(given["level0"], given["level1"]);
  EXPECT_NE(run(given, 2), h);
}

// Rotary positions are relative: moving all of them by one changes nothing but rounding.
TEST_F(TextStack, PositionsOfAllAxesMatter) {
  const Layout layout = test::one_picture(kTokens, kFirst, {1, 4, 6});
  const Values h = run(inputs(1), 1, layout);
  for (size_t axis = 0; axis < 3; ++axis) {
    Layout other = layout;
    other.text.positions[axis][kFirst + 1] += 3;
    EXPECT_NE(run(inputs(1), 1, other), h) << axis;
  }
  Layout later = layout;
  for (auto& axis : later.text.positions)
    for (int64_t& position : axis) ++position;
  const Values moved = run(inputs(1), 1, later);
  for (size_t i = 0; i < h.size(); ++i) EXPECT_NEAR(moved[i], h[i], 1e-4F);
}

TEST_F(TextStack, PromptWithoutPictures) {
  Layout layout = test::one_picture(kTokens, kTokens, {1, 2, 2});
  ASSERT_TRUE(layout.text.visual_rows.empty());
  Recorder rec;
  const Value ids = rec.input("ids", DType::i64, {kTokens});
  rec.begin_stage("llm");
  rec.output("h", model_.record(rec, ids, layout.text, {}));
  const Program program = std::move(rec).finish();
  const auto outputs = test::run(program, checkpoint_.pool(), {{"ids", inputs(0)["ids"]}});
  EXPECT_THAT(outputs.at("h"), Each(testing::Truly([](float value) { return std::isfinite(value); })));
}

TEST_F(TextStack, EpsAndScale) {
  const Program program = record(test::one_picture(kTokens, kFirst, {1, 4, 6}), 1);
  const auto norms = test::ops_of<ops::RmsNorm>(program, "llm");
  EXPECT_EQ(norms.size(), 3U * 4);
  for (const auto& norm : norms) EXPECT_EQ(norm.eps, 1e-6F);
  for (const auto& attention : test::ops_of<ops::Attention>(program, "llm")) {
    EXPECT_TRUE(attention.causal);
    EXPECT_EQ(attention.scale, static_cast<float>(1 / std::sqrt(8.0)));
  }
}

}  // namespace
}  // namespace ramet
