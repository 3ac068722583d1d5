#include <ramet/error.h>

#include "base/assert.h"

#include <set>

#include "support/assertions.h"

namespace ramet {
namespace {

TEST(Error, MessageIsOneLine) {
  const Error error{Code::invalid_value, "config.json: eps", "a number", "\"1e\n-5\"", "look at the file"};
  EXPECT_EQ(error.message(), "config.json: eps: expected a number, found \"1e -5\"; look at the file");
  EXPECT_EQ(fail(Code::usage, "--threads", "1 to 1024", "0\x1B[2J").value().message(),
            "--threads: expected 1 to 1024, found 0 [2J");
}

TEST(Error, EveryCodeHasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (int code = 0; code <= static_cast<int>(Code::internal); ++code) names.insert(name(static_cast<Code>(code)));
  EXPECT_EQ(names.size(), static_cast<size_t>(Code::internal) + 1);
  EXPECT_EQ(names.count("unknown"), 0U);
}

Result<int> half(int value) {
  if (value % 2 != 0) return fail(Code::invalid_value, "value", "an even number", std::to_string(value));
  return value / 2;
}

Result<int> quarter(int value) {
  RAMET_TRY(const int halved, half(value));
  RAMET_TRY_STATUS(half(halved).map([](int) {}));
  return half(halved);
}

TEST(Error, TryPassesErrorsOn) {
  EXPECT_EQ(quarter(12).value(), 3);
  EXPECT_EQ(quarter(7).error().found, "7");
  EXPECT_EQ(quarter(6).error().found, "3");
}

#ifdef NDEBUG
TEST(Assert, SaysWhatDoesNotHold) {
  const int rows = 3;
  EXPECT_NO_THROW(RAMET_ASSERT(rows == 3));
  try {
    RAMET_ASSERT(rows == 4, rows, "four");
    FAIL();
  } catch (const InternalError& error) {
    EXPECT_NE(std::string(error.what()).find("rows == 4 does not hold: 3 four"), std::string::npos) << error.what();
  }
}
#else
TEST(Assert, SaysWhatDoesNotHold) { EXPECT_DEATH(RAMET_ASSERT(1 + 1 == 3, 2), "1 \\+ 1 == 3 does not hold: 2"); }
#endif

}  // namespace
}  // namespace ramet
