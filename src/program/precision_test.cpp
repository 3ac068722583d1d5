#include "program/precision.h"

#include <gmock/gmock.h>

#include "support/assertions.h"

namespace ramet {
namespace {

using ops::Precision;
using testing::HasSubstr;

PrecisionTable table(std::string_view text) { return PrecisionTable::parse(text).value(); }

TEST(PrecisionTable, PresetsHoldEverywhere) {
  EXPECT_EQ(PrecisionTable().at("vision.block.0.qkv"), Precision::bf16);
  EXPECT_EQ(table("fp32").at("dit.block.3.ff1"), Precision::fp32);
  EXPECT_EQ(table("int8").at("dit.block.3.ff1"), Precision::int8);
  EXPECT_EQ(table("int8").at("vision.merger.fc1"), Precision::bf16);
  EXPECT_EQ(table("int8").at("llm.block.3.down_proj"), Precision::bf16);
  EXPECT_EQ(table("bf16").at("vision.embed"), Precision::fp32);
  EXPECT_EQ(table("bf16,dit=int8").meaning(), "bf16,vision.embed=fp32,dit=int8");
  EXPECT_EQ(table("int8").at("action_decoder.layer1"), Precision::bf16);
}

TEST(PrecisionTable, LaterOverridesWin) {
  const PrecisionTable t = table("bf16,vision.block.0-5=fp32,*.fc2=int8,vision.block.2.fc2=bf16,llm.block.1?=int8");
  EXPECT_EQ(t.at("vision.block.0.qkv"), Precision::fp32);
  EXPECT_EQ(t.at("vision.block.5.qkv"), Precision::fp32);
  EXPECT_EQ(t.at("vision.block.6.qkv"), Precision::bf16);
  EXPECT_EQ(t.at("vision.block.50.qkv"), Precision::bf16);
  EXPECT_EQ(t.at("vision.block.1.fc2"), Precision::int8);
  EXPECT_EQ(t.at("vision.block.2.fc2"), Precision::bf16);
  EXPECT_EQ(t.at("vision.merger.fc2"), Precision::int8);
  EXPECT_EQ(t.at("llm.block.12.q_proj"), Precision::int8);
  EXPECT_EQ(t.at("llm.block.2.q_proj"), Precision::bf16);
  EXPECT_EQ(table("int8,vision.merger=int8").at("vision.merger.fc1"), Precision::int8);
}

TEST(PrecisionTable, RefusesWhatIsNoTable) {
  for (const char* text : {"", "fp16", "bf16,", "bf16,x", "bf16,=fp32", "bf16,x=", "bf16,x=fp16", ",bf16"}) {
    const auto parsed = PrecisionTable::parse(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code, Code::usage);
  }
}

TEST(PrecisionTable, OverridesNameSites) {
  const std::vector<std::string> sites{"vision.block.0.qkv", "vision.block.0.proj", "dit.proj_out_2"};
  EXPECT_OK(table("int8").check(sites));
  EXPECT_OK(table("bf16,vision=fp32,*.proj=int8,dit.proj_out_2=fp32,vision.block.0-9=fp32").check(sites));
  for (const char* pattern :
       {"vision.block.1", "vision.block.0.qk", "vision.block.0.qkv.x", "*.ff1", "vision.block.1-9"}) {
    const Status status = table(std::string("bf16,") + pattern + "=fp32").check(sites);
    ASSERT_FALSE(status) << pattern;
    EXPECT_EQ(status.error().found, pattern);
  }
  EXPECT_THAT(table("bf16,vision.block.0.qvk=fp32").check(sites).error().hint, HasSubstr("vision.block.0.qkv"));
}

}  // namespace
}  // namespace ramet
