#include "tap_comparison.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

namespace ramet::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Tap floats(std::vector<int64_t> shape, std::vector<float> values) {
  return {.name = "tap", .shape = std::move(shape), .floats = std::move(values), .integers = {}};
}

Tap integers(std::vector<int64_t> values) {
  return {.name = "tap", .shape = {static_cast<int64_t>(values.size())}, .floats = {}, .integers = std::move(values)};
}

TapVerdict verdict(const Tap& ours, const Tap& theirs, double gate = 0.1) {
  return compare(&ours, {theirs, std::nullopt}, gate);
}

TEST(TapComparison, DistanceIsRelativeToTheDump) {
  const TapVerdict result = verdict(floats({2, 2}, {3, 4, 0, 1}), floats({2, 2}, {3, 4, 0, 0}), 0.2);
  EXPECT_DOUBLE_EQ(result.distance, 0.2);
  EXPECT_TRUE(result.holds);
  EXPECT_THAT(result.worst, ElementsAre(1, 1));
  EXPECT_EQ(result.ours, 1);
  EXPECT_EQ(result.theirs, 0);
  EXPECT_FALSE(verdict(floats({1}, {1.21F}), floats({1}, {1}), 0.2).holds);
}

TEST(TapComparison, DistanceFromZeroIsAbsolute) {
  EXPECT_DOUBLE_EQ(verdict(floats({2}, {3, 4}), floats({2}, {0, 0})).distance, 5);
  EXPECT_TRUE(verdict(floats({2}, {0, 0}), floats({2}, {0, 0}), 0).holds);
}

TEST(TapComparison, NotFiniteNeverHolds) {
  for (const float bad : {std::nanf(""), std::numeric_limits<float>::infinity()}) {
    const TapVerdict result = verdict(floats({2}, {1, bad}), floats({2}, {1, 1}), 1e30);
    EXPECT_FALSE(result.holds);
    EXPECT_THAT(result.worst, ElementsAre(1));
  }
}

TEST(TapComparison, IntegersAreEqualOrNot) {
  EXPECT_TRUE(verdict(integers({1, 2, 3}), integers({1, 2, 3})).holds);
  const TapVerdict result = verdict(integers({1, 2, 4}), integers({1, 2, 3}), 10);
  EXPECT_FALSE(result.holds);
  EXPECT_EQ(result.distance, 1);
}

TEST(TapComparison, OnlyTheKeptRowsCount) {
  const Tap ours = floats({3, 2}, {1, 2, 3, 4, 5, 6});
  EXPECT_TRUE(compare(&ours, {floats({2, 2}, {5, 6, 1, 2}), std::vector<int64_t>{2, 0}}, 0).holds);
  EXPECT_FALSE(compare(&ours, {floats({2, 2}, {5, 6, 1, 2}), std::vector<int64_t>{0, 2}}, 0).holds);
  // Rows that ours does not have cannot be compared.
  EXPECT_THAT(compare(&ours, {floats({1, 2}, {5, 6}), std::vector<int64_t>{3}}, 0).problem, HasSubstr("[3,2]"));
  EXPECT_THAT(compare(&ours, {floats({1, 2}, {5, 6}), std::vector<int64_t>{-1}}, 0).problem, HasSubstr("[3,2]"));
}

TEST(TapComparison, MissingOrMisshapenIsAFailure) {
  EXPECT_EQ(compare(nullptr, {floats({1}, {1}), std::nullopt}, 1).problem, "missing");
  EXPECT_THAT(verdict(floats({2}, {1, 1}), floats({3}, {1, 1, 1})).problem, HasSubstr("[2]"));
  EXPECT_FALSE(verdict(floats({2}, {1, 1}), floats({3}, {1, 1, 1})).holds);
}

}  // namespace
}  // namespace ramet::cli
