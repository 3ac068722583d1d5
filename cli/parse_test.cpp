#include "parse.h"

#include <limits>

#include "support/assertions.h"

namespace ramet::cli {
namespace {

Given given(std::string text) { return {.text = std::move(text), .where = "--x"}; }

TEST(Parse, IntegersInTheirRange) {
  EXPECT_EQ(parse_integer(given("7"), 1, 7), 7);
  EXPECT_EQ(parse_integer(given("-3"), -5, 7), -3);
  for (const char* text : {"", "8", "0", " 7", "7 ", "+7", "7.0", "0x7", "seven", "99999999999999999999"})
    EXPECT_CODE(parse_integer(given(text), 1, 7), Code::usage);
}

TEST(Parse, SeedsOf64Bits) {
  EXPECT_EQ(parse_unsigned(given("18446744073709551615")), std::numeric_limits<uint64_t>::max());
  EXPECT_CODE(parse_unsigned(given("18446744073709551616")), Code::usage);
  EXPECT_CODE(parse_unsigned(given("-1")), Code::usage);
}

TEST(Parse, NumbersAreFinite) {
  EXPECT_EQ(parse_number(given("3e-5")), 3e-5);
  for (const char* text : {"inf", "nan", "1e999", "1,5", ""}) EXPECT_CODE(parse_number(given(text)), Code::usage);
  EXPECT_EQ(parse_floats(given("0.1,-2,3e-4")), (std::vector<float>{0.1F, -2, 3e-4F}));
  for (const char* text : {"", "1,", ",1", "1,nan", "1e39"}) EXPECT_CODE(parse_floats(given(text)), Code::usage);
}

TEST(Parse, PairsSplitAtTheFirstEqualsSign) {
  EXPECT_EQ(parse_pair(given("image=a=b.png")), std::pair(std::string("image"), std::string("a=b.png")));
  for (const char* text : {"", "=", "image", "image=", "=x"}) EXPECT_CODE(parse_pair(given(text)), Code::usage);
}

TEST(Parse, ErrorsKeepTheCodeOfTheirSource) {
  EXPECT_CODE(parse_integer({.text = "x", .where = "ramet.json: threads", .code = Code::invalid_value}, 1, 7),
              Code::invalid_value);
}

TEST(Parse, HintOnlyWhenNear) {
  EXPECT_EQ(did_you_mean("thread", {"threads", "steps"}), "did you mean threads?");
  EXPECT_EQ(did_you_mean("nonsense", {"threads", "steps"}), "");
}

}  // namespace
}  // namespace ramet::cli
