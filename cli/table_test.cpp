#include "table.h"

#include "action_columns.h"

#include <gtest/gtest.h>

namespace ramet::cli {
namespace {

TEST(Table, AlignsLettersNotBytes) {
  Table table({"key", "value"}, {Align::left, Align::right});
  table.add({"é", "1"});
  table.add({"long name", "22"});
  EXPECT_EQ(table.text(), "key        value\né              1\nlong name     22\n");
  EXPECT_EQ(table.text(2).substr(0, 5), "  key");
}

TEST(Table, CellsStayOnTheirLine) {
  Table table({"key"}, {Align::left});
  EXPECT_TRUE(table.empty());
  table.add({"a\nb"});
  EXPECT_EQ(table.text(), "key\na\\x0ab\n");
}

Actions two_keys() {
  Actions actions;
  actions.horizon = 2;
  actions.keys = {"arm", "gripper"};
  actions.actions["arm"] = {.shape = {2, 2}, .values = {0.5, -1, 1e6, 2}};
  actions.actions["gripper"] = {.shape = {2, 1}, .values = {0, 1}};
  return actions;
}

TEST(ActionTable, ColumnsFollowTheKeys) {
  const Actions actions = two_keys();
  const auto columns = action_columns(actions);
  ASSERT_EQ(columns.size(), 3U);
  EXPECT_EQ(columns[1].name(), "arm[1]");
  EXPECT_EQ(columns[1].at(1), 2);
  EXPECT_EQ(columns[2].name(), "gripper");
}

TEST(ActionTable, LargeNumbersGetExponents) {
  EXPECT_EQ(action_table(two_keys(), 80),
            "                       arm     gripper\n"
            "step         [0]       [1]\n"
            "   0    5.00e-01   -1.0000      0.0000\n"
            "   1    1.00e+06    2.0000      1.0000\n");
}

TEST(ActionTable, KeysThatDoNotFitStandBelow) {
  const std::string text = action_table(two_keys(), 30);
  EXPECT_NE(text.find("arm\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\n\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace ramet::cli
