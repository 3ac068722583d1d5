#include "text.h"

#include "report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace ramet::cli {
namespace {

TEST(Printable, KeepsTextAndEscapesTheRest) {
  EXPECT_EQ(printable("Étagère 棚 🤖"), "Étagère 棚 🤖");
  EXPECT_EQ(printable("a\nb\tc\x7F"), "a\\x0ab\\x09c\\x7f");
  EXPECT_EQ(printable("\x1b[31m"), "\\x1b[31m");
  EXPECT_EQ(printable(std::string("\0", 1)), "\\x00");
  EXPECT_EQ(printable("\xff\xfe"), "\\xff\\xfe");
  EXPECT_EQ(printable("\xe6\xa3"), "\\xe6\\xa3");           // a letter that is cut
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // a surrogate
  EXPECT_EQ(printable("\xe2\x80\xa8"), "\\xe2\\x80\\xa8");  // a line separator
  EXPECT_EQ(printable("\xc2\x9b\x33"), "\\xc2\\x9b\x33");   // a terminal's control sequence
}

TEST(Printable, CutsLongText) {
  EXPECT_EQ(printable("aaaa", 3), "aaa…");
  EXPECT_LT(printable(std::string(1 << 20, '\xff'), 100).size(), 110U);
}

TEST(HumanSizes, ThreeDigits) {
  EXPECT_EQ(human_bytes(0), "0 B");
  EXPECT_EQ(human_bytes(999), "999 B");
  EXPECT_EQ(human_bytes(1000), "1.0 kB");
  EXPECT_EQ(human_bytes(99.96e6), "100 MB");
  EXPECT_EQ(human_bytes(999.9e6), "1.0 GB");
  EXPECT_EQ(human_bytes(6.44e9), "6.4 GB");
  EXPECT_EQ(human_seconds(0.2), "1 s");
  EXPECT_EQ(human_seconds(200), "3 min 20 s");
}

TEST(Report, EveryCodeHasAnExitStatus) {
  EXPECT_EQ(exit_status(Code::usage), 2);
  for (const Code code : {Code::not_found, Code::invalid_file, Code::invalid_value, Code::shape_mismatch,
                          Code::unsupported_dtype, Code::unsupported, Code::surplus, Code::not_finite})
    EXPECT_EQ(exit_status(code), 3) << name(code);
  for (const Code code : {Code::no_memory, Code::no_resource}) EXPECT_EQ(exit_status(code), 4) << name(code);
  EXPECT_EQ(exit_status(Code::check_failed), 1);
  EXPECT_EQ(exit_status(Code::internal), 70);
}

TEST(Report, OneValidLineWhateverTheParts) {
  const Error error{.code = Code::invalid_file,
                    .where = "a\nb",
                    .expected = "\xff",
                    .found = std::string(1 << 20, 'x'),
                    .hint = "look"};
  const std::string line = error_line(error);
  EXPECT_TRUE(line.starts_with("a\\x0ab: expected \\xff, found xxx"));
  EXPECT_LT(line.size(), 1000U);
  EXPECT_EQ(error_document(error)["error"]["where"], "a\\x0ab");
  EXPECT_NO_THROW(error_document(error).dump());
}

}  // namespace
}  // namespace ramet::cli
