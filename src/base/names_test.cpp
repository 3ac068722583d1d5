#include "base/names.h"

#include "base/glob.h"

#include <gtest/gtest.h>

namespace ramet {
namespace {

using Names = std::vector<std::string>;

TEST(NearestHint, NamesWhatDiffersLeast) {
  EXPECT_EQ(nearest_hint("heads", {"num_heads", "head", "leads"}), "did you mean head, leads?");
  EXPECT_EQ(nearest_hint("gr1", {"gr1", "oxe_droid"}), "did you mean gr1?");
  EXPECT_EQ(nearest_hint("ab", {"ab1", "ab2", "ab3", "ab4"}), "did you mean ab1, ab2, ab3 and 1 more?");
}

TEST(NearestHint, ListsAllWhenNothingIsNear) {
  EXPECT_EQ(nearest_hint("robot", {"gr1", "oxe_droid"}), "known: gr1, oxe_droid");
  EXPECT_EQ(nearest_hint("", {"vision", "action"}), "known: vision, action");
  EXPECT_EQ(nearest_hint("robot", {}), "");
}

TEST(NearestHint, TakesNamesOfAnyLength) {
  const std::string long_name(100'000, 'x');
  EXPECT_EQ(nearest_hint(long_name, {long_name + "y"}), "did you mean " + long_name + "y?");
}

TEST(ListNames, StopsAtTheLimit) {
  EXPECT_EQ(list_names({}), "");
  EXPECT_EQ(list_names({"a"}), "a");
  EXPECT_EQ(list_names({"a", "b", "c"}, 3), "a, b, c");
  EXPECT_EQ(list_names({"a", "b", "c"}, 2), "a, b and 1 more");
  EXPECT_EQ(list_names(Names(12, "n")), "n, n, n, n, n, n, n, n, n, n and 2 more");
}

TEST(Glob, MatchesWholeNames) {
  EXPECT_TRUE(matches_any({"vision.block.*"}, "vision.block.3.attn"));
  EXPECT_TRUE(matches_any({"*"}, "vision.block.3"));
  EXPECT_TRUE(matches_any({"llm", "vision.block.?"}, "vision.block.3"));
  EXPECT_TRUE(matches_any({"dit.block.[0-3]"}, "dit.block.2"));
  EXPECT_FALSE(matches_any({"dit.block.[0-3]"}, "dit.block.4"));
  EXPECT_FALSE(matches_any({"vision.block.?"}, "vision.block.12"));
  EXPECT_FALSE(matches_any({"vision"}, "vision.block.3"));
  EXPECT_FALSE(matches_any({"block.*"}, "vision.block.3"));
  EXPECT_FALSE(matches_any({}, "vision"));
}

}  // namespace
}  // namespace ramet
