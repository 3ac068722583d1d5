// Row order, position corners, rotary tables and timestep waves against the numbers of the specs.
#include "models/patch_grid.h"
#include "models/rotary.h"
#include "models/timestep_features.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace ramet {
namespace {

using testing::ElementsAre;
using testing::FloatNear;

constexpr int64_t kMerge = 2;
constexpr int64_t kSide = 48;

std::vector<PatchCoordinate> patches_of(const Grid& grid) { return patch_coordinates(std::array{grid}, kMerge); }

size_t row_of(const std::vector<PatchCoordinate>& patches, int64_t y, int64_t x) {
  const auto it = std::ranges::find_if(patches, [&](const auto& patch) { return patch.y == y && patch.x == x; });
  return static_cast<size_t>(it - patches.begin());
}

TEST(PatchOrder, WindowsOfFourBySix) {
  std::vector<std::pair<int64_t, int64_t>> order;
  for (const PatchCoordinate& patch : patches_of({1, 4, 6})) order.emplace_back(patch.y, patch.x);
  const std::vector<std::pair<int64_t, int64_t>> first_half{{0, 0}, {0, 1}, {1, 0}, {1, 1}, {0, 2}, {0, 3},
                                                            {1, 2}, {1, 3}, {0, 4}, {0, 5}, {1, 4}, {1, 5}};
  ASSERT_EQ(order.size(), 24U);
  order.resize(12);
  EXPECT_EQ(order, first_half);
}

// r = (((y div 2)(w / 2) + x div 2) 2 + y mod 2) 2 + x mod 2
TEST(PatchOrder, IsTheFormulaInEveryFrameOfEveryItem) {
  const std::vector<Grid> grids{{1, 4, 4}, {3, 2, 6}, {1, 8, 2}};
  const std::vector<PatchCoordinate> patches = patch_coordinates(grids, kMerge);
  ASSERT_EQ(static_cast<int64_t>(patches.size()), count_patches(grids));
  int64_t begin = 0;
  for (const Grid& grid : grids)
    for (int64_t frame = 0; frame < grid.t; ++frame, begin += grid.h * grid.w)
      for (int64_t y = 0; y < grid.h; ++y)
        for (int64_t x = 0; x < grid.w; ++x) {
          const int64_t row = (((y / 2) * (grid.w / 2) + x / 2) * 2 + y % 2) * 2 + x % 2;
          const PatchCoordinate& patch = patches[static_cast<size_t>(begin + row)];
          EXPECT_EQ(std::pair(patch.y, patch.x), std::pair(y, x));
          EXPECT_EQ(std::pair(patch.h, patch.w), std::pair(grid.h, grid.w));
        }
}

std::vector<int64_t> bounds(const std::vector<Grid>& grids) {
  std::vector<int64_t> result{0};
  for (const ops::AttentionSegment& segment : frame_segments(grids)) {
    EXPECT_EQ(segment.q_begin, result.back());
    EXPECT_EQ(segment.q_begin, segment.k_begin);
    EXPECT_EQ(segment.q_end, segment.k_end);
    result.push_back(segment.q_end);
  }
  return result;
}

TEST(Segments, OneForEachFrame) {
  EXPECT_THAT(bounds({{1, 4, 4}, {1, 2, 6}}), ElementsAre(0, 16, 28));
  EXPECT_THAT(bounds({{2, 4, 4}}), ElementsAre(0, 16, 32));
  EXPECT_THAT(bounds(std::vector<Grid>(4, Grid{1, 16, 28})), ElementsAre(0, 448, 896, 1344, 1792));
}

TEST(PositionCorners, NumbersOfTheSpec) {
  const auto patches = patches_of({1, 16, 28});
  const PositionCorners corners = position_corners(patches, kSide);
  const auto expect = [&](int64_t y, int64_t x, const std::array<int64_t, 4>& rows, const std::array<float, 4>& w) {
    const size_t at = 4 * row_of(patches, y, x);
    for (size_t k = 0; k < 4; ++k) {
      EXPECT_EQ(corners.index[at + k], rows[k]);
      EXPECT_NEAR(corners.weight[at + k], w[k], 1e-6F);
    }
  };
  expect(1, 1, {145, 146, 193, 194}, {.22469130F, .64197528F, .03456793F, .09876552F});
  expect(3, 5, {440, 441, 488, 489}, {.17777750F, .42222193F, .11851862F, .28148195F});
}

// Aligned corners: the first and the last patch are table rows, exactly. i * (47 / (n - 1)) would miss some by an ulp.
TEST(PositionCorners, EndsHitTheTable) {
  for (int64_t n = 2; n <= 512; n += 2)
    for (const Grid grid : {Grid{1, n, 2}, Grid{1, 2, n}}) {
      const auto patches = patches_of(grid);
      const PositionCorners corners = position_corners(patches, kSide);
      EXPECT_EQ(corners.index.front(), 0);
      EXPECT_EQ(corners.weight.front(), 1.0F);
      const size_t last = 4 * row_of(patches, grid.h - 1, grid.w - 1);
      for (size_t k = 0; k < 4; ++k) EXPECT_EQ(corners.index[last + k], kSide * kSide - 1) << n;
      EXPECT_THAT(std::vector(corners.weight.begin() + static_cast<ptrdiff_t>(last), corners.weight.end()),
                  ElementsAre(1.0F, 0.0F, 0.0F, 0.0F))
          << n;
    }
}

TEST(PositionCorners, WeightsAddUpAndRowsExist) {
  for (int64_t n = 2; n <= 96; n += 2) {
    const PositionCorners corners = position_corners(patches_of({1, n, 98 - n}), kSide);
    for (size_t i = 0; i < corners.weight.size(); i += 4) {
      float sum = 0;
      for (size_t k = i; k < i + 4; ++k) {
        EXPECT_TRUE(corners.index[k] >= 0 && corners.index[k] < kSide * kSide);
        EXPECT_GE(corners.weight[k], 0.0F);
        sum += corners.weight[k];
      }
      EXPECT_NEAR(sum, 1.0F, 3e-7F);
    }
  }
}

TEST(PositionCorners, GridOfTheTableIsTheTable) {
  const auto patches = patches_of({1, kSide, kSide});
  const PositionCorners corners = position_corners(patches, kSide);
  for (size_t row = 0; row < patches.size(); ++row) {
    EXPECT_EQ(corners.index[4 * row], patches[row].y * kSide + patches[row].x);
    EXPECT_EQ(corners.weight[4 * row], 1.0F);
  }
}

// The tables hold the first half of the 64 dimensions; the second half repeats it.
TEST(PatchRotary, AnglesOfRowThreeColumnFive) {
  const std::array patch{PatchCoordinate{3, 5, 16, 28}};
  const RotaryTables tables = patch_rotary(patch, 64, 10000, RotaryRounding::exact);
  ASSERT_EQ(tables.cos.size(), 32U);
  const std::vector<std::pair<size_t, float>> angles{{0, 3.0F},  {1, 1.6870240F},  {2, .94868326F},
                                                     {16, 5.0F}, {17, 2.8117065F}, {18, 1.5811388F}};
  for (const auto& [dim, angle] : angles) {
    EXPECT_NEAR(tables.cos[dim], std::cos(angle), 1e-6F) << dim;
    EXPECT_NEAR(tables.sin[dim], std::sin(angle), 1e-6F) << dim;
  }
  EXPECT_NEAR(tables.cos[0], -0.98999250F, 1e-7F);
  EXPECT_NEAR(tables.cos[16], 0.28366219F, 1e-7F);
  EXPECT_NEAR(tables.cos[18], -.010342F, 1e-6F);
}

TEST(PatchRotary, FrequenciesOfBothHeadWidths) {
  const std::array one{PatchCoordinate{1, 0, 2, 2}};
  const auto angle = [&](int64_t head_dim, size_t i) {
    return std::asin(patch_rotary(one, head_dim, 10000, RotaryRounding::exact).sin[i]);
  };
  EXPECT_NEAR(angle(64, 1), 0.5623413F, 1e-6F);
  EXPECT_NEAR(angle(64, 2), 0.3162278F, 1e-6F);
  EXPECT_NEAR(angle(64, 15), 1.7782794e-4F, 1e-10F);
  EXPECT_NEAR(angle(72, 1), 0.5994843F, 1e-6F);
  EXPECT_NEAR(angle(72, 2), 0.3593814F, 1e-6F);
  EXPECT_NEAR(angle(72, 17), 1.6681010e-4F, 1e-10F);
  EXPECT_EQ(angle(64, 16), 0.0F);
}

// What a live Gr00tPolicy computes: angle 1.578125, cos -.0073242 where -.010342 is right.
TEST(PatchRotary, RoundedToBf16) {
  const std::array patch{PatchCoordinate{3, 5, 16, 28}};
  const RotaryTables tables = patch_rotary(patch, 64, 10000, RotaryRounding::bf16);
  EXPECT_NEAR(std::acos(tables.cos[18]), 1.578125F, 2e-5F);
  EXPECT_NEAR(tables.cos[18], -.0073242F, 1e-7F);
}

TEST(PatchRotary, RestartsInEveryFrame) {
  const auto patches = patches_of({2, 4, 4});
  const RotaryTables tables = patch_rotary(patches, 16, 10000, RotaryRounding::exact);
  const auto half = static_cast<ptrdiff_t>(tables.cos.size() / 2);
  EXPECT_TRUE(std::equal(tables.cos.begin(), tables.cos.begin() + half, tables.cos.begin() + half));
  EXPECT_TRUE(std::equal(tables.sin.begin(), tables.sin.begin() + half, tables.sin.begin() + half));
}

std::array<int64_t, 3> count_axes(int64_t frequencies, const std::vector<int64_t>& section) {
  std::array<int64_t, 3> counts{};
  for (int64_t i = 0; i < frequencies; ++i) ++counts[static_cast<size_t>(mrope_axis(i, section))];
  return counts;
}

TEST(Mrope, AxesInterleave) {
  EXPECT_THAT(count_axes(64, {24, 20, 20}), ElementsAre(24, 20, 20));
  EXPECT_THAT(count_axes(32, {11, 11, 10}), ElementsAre(11, 11, 10));
  std::string axes;
  for (int64_t i = 0; i < 64; ++i) axes += "THW"[mrope_axis(i, {24, 20, 20})];
  std::string expected;
  for (int i = 0; i < 20; ++i) expected += "THW";
  EXPECT_EQ(axes, expected + "TTTT");
  std::string qwen35;
  for (int64_t i = 0; i < 32; ++i) qwen35 += "THW"[mrope_axis(i, {11, 11, 10})];
  EXPECT_EQ(qwen35, expected.substr(0, 30) + "TH");
}

TEST(Mrope, TablesTakeEachAxisPosition) {
  const std::vector<int64_t> section{24, 20, 20};
  const RotaryTables tables = mrope_tables({{{7}, {1}, {2}}}, 128, 5e6, section, RotaryRounding::exact);
  ASSERT_EQ(tables.cos.size(), 64U);
  EXPECT_NEAR(tables.cos[0], std::cos(7.0F), 1e-6F);
  EXPECT_NEAR(tables.sin[1], std::sin(.78583002F), 1e-6F);
  EXPECT_NEAR(tables.sin[2], std::sin(2 * .78583002F * .78583002F), 1e-6F);
  EXPECT_NEAR(tables.sin[32], 2 * 4.4721362e-4F, 1e-9F);
  EXPECT_NEAR(tables.sin[63], 7 * std::pow(5e6F, -126.0F / 128), 1e-11F);
}

TEST(Mrope, RoundedFrequenciesMoveTheAngles) {
  const std::array<std::vector<int64_t>, 3> positions{{{80}, {80}, {80}}};
  const RotaryTables exact = mrope_tables(positions, 128, 5e6, {24, 20, 20}, RotaryRounding::exact);
  const RotaryTables rounded = mrope_tables(positions, 128, 5e6, {24, 20, 20}, RotaryRounding::bf16);
  EXPECT_EQ(exact.cos[0], rounded.cos[0]);  // 1 is a bf16 number
  EXPECT_NEAR(std::asin(mrope_tables({{{1}, {1}, {1}}}, 128, 5e6, {24, 20, 20}, RotaryRounding::bf16).sin[1]),
              .78515625F, 1e-6F);
  EXPECT_NE(exact.cos[1], rounded.cos[1]);
}

TEST(Timesteps, Buckets) {
  EXPECT_THAT(timestep_buckets(4, 1000), ElementsAre(0, 250, 500, 750));
  EXPECT_THAT(timestep_buckets(1, 1000), ElementsAre(0));
  EXPECT_THAT(timestep_buckets(3, 1000), ElementsAre(0, 333, 666));
}

TEST(Timesteps, WavesOfTheActionEncoder) {
  const std::vector<float> at_0 = action_time_features(0, 1536), at_250 = action_time_features(250, 1536),
                           at_750 = action_time_features(750, 1536);
  ASSERT_EQ(at_250.size(), 1536U);
  EXPECT_EQ(at_0[0], 0.0F);
  EXPECT_EQ(at_0[768], 1.0F);
  const std::vector<size_t> entries{0, 1, 100, 384, 768, 768 + 384, 768 + 767};
  const std::vector<float> expect_250{-.9705280F, .9192061F, -.0441444F, .5984721F, .2409883F, -.8011436F, .9996799F};
  const std::vector<float> expect_750{.7450730F, -.3490912F, -.1321042F, .9380000F, -.6669830F, .3466353F, .9971206F};
  for (size_t i = 0; i < entries.size(); ++i) {
    EXPECT_NEAR(at_250[entries[i]], expect_250[i], 3e-5F) << i;
    EXPECT_NEAR(at_750[entries[i]], expect_750[i], 3e-5F) << i;
  }
}

TEST(Timesteps, WavesOfTheEmbedder) {
  const std::vector<float> waves = timestep_features(250, 256);
  ASSERT_EQ(waves.size(), 256U);
  const std::vector<std::pair<size_t, float>> expected{{0, .2409883F},   {1, .9994431F},       {2, -.8658335F},
                                                       {64, -.7447598F}, {128 + 1, .0333679F}, {128 + 127, .0249974F}};
  for (const auto& [at, value] : expected) EXPECT_THAT(waves[at], FloatNear(value, 3e-5F)) << at;
}

}  // namespace
}  // namespace ramet
