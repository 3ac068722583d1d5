#include "policy/quirks.h"

#include "support/assertions.h"

#include <gmock/gmock.h>

namespace ramet {
namespace {

using testing::HasSubstr;

TEST(Quirks, DefaultsFollowThePublishedPipeline) {
  const auto quirks = parse_quirks({});
  ASSERT_OK(quirks);
  EXPECT_FALSE(quirks->rope_bf16);
  EXPECT_FALSE(quirks->letterbox_always);
}

TEST(Quirks, BothValuesOfEach) {
  const auto on = parse_quirks({{"rope", "bf16"}, {"letterbox", "always"}});
  ASSERT_OK(on);
  EXPECT_TRUE(on->rope_bf16);
  EXPECT_TRUE(on->letterbox_always);
  const auto off = parse_quirks({{"rope", "exact"}, {"letterbox", "file"}});
  ASSERT_OK(off);
  EXPECT_FALSE(off->rope_bf16);
  EXPECT_FALSE(off->letterbox_always);
}

TEST(Quirks, UnknownNamesAndValues) {
  const auto name = parse_quirks({{"rop", "bf16"}});
  EXPECT_CODE(name, Code::usage);
  EXPECT_THAT(name.error().message(), HasSubstr("rope"));
  const auto value = parse_quirks({{"rope", "fp16"}});
  EXPECT_CODE(value, Code::usage);
  EXPECT_THAT(value.error().message(), HasSubstr("exact or bf16"));
  EXPECT_CODE(parse_quirks({{"letterbox", ""}}), Code::usage);
}

TEST(Quirks, ListTellsWhereValuesComeFrom) {
  const std::vector<Setting> list = list_quirks({{"letterbox", "always"}});
  ASSERT_GE(list.size(), 2U);
  EXPECT_EQ(list[0].name + "=" + list[0].value + " " + list[0].source, "rope=exact default");
  EXPECT_EQ(list[1].name + "=" + list[1].value + " " + list[1].source, "letterbox=always option");
}

}  // namespace
}  // namespace ramet
