#include "policy/text/formalize.h"

#include "support/assertions.h"

namespace ramet {
namespace {

std::string formal(std::string_view text) { return formalize_language(text).value_or("an error"); }

TEST(FormalizeLanguage, LowersAsPythonDoes) {
  EXPECT_EQ(formal("Pick up the RED block, please!"), "pick up the red block please");
  EXPECT_EQ(formal("\u0130I"), "ii");                                           // the dot above is a mark
  EXPECT_EQ(formal("\u039F\u03A3 \u03A3\u039F"), "\u03BF\u03C2 \u03C3\u03BF");  // final sigma
  EXPECT_EQ(formal("\u1E9E\u2163\u212A"), "\u00DF\u2173k");
}

TEST(FormalizeLanguage, KeepsWordCharactersAndSpace) {
  EXPECT_EQ(formal("don't_stop 0.5e-3"), "dont_stop 05e3");
  EXPECT_EQ(formal("x\u00B2 \u00BD \u2460"), "x\u00B2 \u00BD \u2460");
  EXPECT_EQ(formal("e\u0301 \u0939\u093F \U0001F916 \uFEFF\u200B"), "e \u0939  ");
  EXPECT_EQ(formal("\t\n\u00A0\u3000\u2028\u0085 a"), "\t\n\u00A0\u3000\u2028\u0085 a");
  EXPECT_EQ(formal("a\x1C\x1D\x1E\x1F\x1B"
                   "b"),
            "a\x1C\x1D\x1E\x1F"
            "b");
  EXPECT_EQ(formal("?!"), "");
}

TEST(FormalizeLanguage, RefusesTextThatIsNotUtf8) {
  EXPECT_CODE(formalize_language("pick \xE9 up"), Code::invalid_value);
}

}  // namespace
}  // namespace ramet
