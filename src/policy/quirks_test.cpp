#include "policy/quirks.h"

#include "support/assertions.h"

#include <gmock/gmock.h>

namespace ramet {
namespace {

using testing::HasSubstr;

constexpr auto kN17 = CheckpointKind::groot_n17;

TEST(Quirks, DefaultsFollowThePublishedPipeline) {
  const auto quirks = parse_quirks({}, kN17);
  ASSERT_OK(quirks);
  EXPECT_FALSE(quirks->rope_bf16);
  EXPECT_FALSE(quirks->letterbox_always);
}

TEST(Quirks, BothValuesOfEach) {
  const auto on = parse_quirks({{"rope", "bf16"}, {"letterbox", "always"}}, kN17);
  ASSERT_OK(on);
  EXPECT_TRUE(on->rope_bf16);
  EXPECT_TRUE(on->letterbox_always);
  const auto off = parse_quirks({{"rope", "exact"}, {"letterbox", "file"}}, kN17);
  ASSERT_OK(off);
  EXPECT_FALSE(off->rope_bf16);
  EXPECT_FALSE(off->letterbox_always);
}

TEST(Quirks, UnknownNamesAndValues) {
  const auto name = parse_quirks({{"rop", "bf16"}}, kN17);
  EXPECT_CODE(name, Code::usage);
  EXPECT_THAT(name.error().message(), HasSubstr("rope"));
  const auto value = parse_quirks({{"rope", "fp16"}}, kN17);
  EXPECT_CODE(value, Code::usage);
  EXPECT_THAT(value.error().message(), HasSubstr("exact or bf16"));
  EXPECT_CODE(parse_quirks({{"letterbox", ""}}, kN17), Code::usage);
}

TEST(Quirks, ListTellsWhereValuesComeFrom) {
  const std::vector<Setting> list = list_quirks({{"letterbox", "always"}}, kN17);
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[0].name + "=" + list[0].value + " " + list[0].source, "rope=exact default");
  EXPECT_EQ(list[1].name + "=" + list[1].value + " " + list[1].source, "letterbox=always option");
}

TEST(Quirks, EachVersionHasItsOwn) {
  const auto names = [](CheckpointKind kind) {
    std::string text;
    for (const Setting& setting : list_quirks({}, kind)) text += setting.name + " ";
    return text;
  };
  EXPECT_EQ(names(CheckpointKind::groot_n15), "rope prompt ");
  EXPECT_EQ(names(CheckpointKind::groot_n16), "rope letterbox ");
  EXPECT_EQ(names(CheckpointKind::qwen3_vl), "rope ");
  EXPECT_CODE(parse_quirks({{"prompt", "plain"}}, CheckpointKind::groot_n16), Code::usage);
  EXPECT_CODE(parse_quirks({{"letterbox", "always"}}, CheckpointKind::groot_n15), Code::usage);
  EXPECT_TRUE(parse_quirks({{"prompt", "plain"}}, CheckpointKind::groot_n15).value().plain_prompt);
}

}  // namespace
}  // namespace ramet
