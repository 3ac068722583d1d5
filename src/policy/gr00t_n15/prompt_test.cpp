#include "policy/gr00t_n15/prompt.h"

#include "policy/text/test_support.h"
#include "support/assertions.h"

#include <gtest/gtest.h>

namespace ramet {
namespace {

TEST(ListOfOne, QuotesAndEscapesAsPythonDoes) {
  EXPECT_EQ(list_of_one("pick up"), "['pick up']");
  EXPECT_EQ(list_of_one(""), "['']");
  EXPECT_EQ(list_of_one("it's"), "[\"it's\"]");
  EXPECT_EQ(list_of_one("say \"hi\""), "['say \"hi\"']");
  EXPECT_EQ(list_of_one("' and \""), "['\\' and \"']");
  EXPECT_EQ(list_of_one("a\\b\n\t\r"), "['a\\\\b\\n\\t\\r']");
  EXPECT_EQ(list_of_one("\x07\x7F"), "['\\x07\\x7f']");
  EXPECT_EQ(list_of_one("\u00A0\u200B\u00AD"), "['\\xa0\\u200b\\xad']");
  EXPECT_EQ(list_of_one("caf\u00E9 \U0001F916"), "['caf\u00E9 \U0001F916']");
  EXPECT_EQ(list_of_one("\U000E0001"), "['\\U000e0001']");
}

TEST(N15Prompt, RefusesTextThatSpellsAPicture) {
  const auto tokenizer = test::tiny_tokenizer({});
  ASSERT_OK(tokenizer);
  const auto prompt = [&](const char* text) {
    return n15_prompt(*tokenizer, {.count = 1, .tokens_each = 4}, text, InstructionForm::list_of_one);
  };
  for (const char* text : {"<IMG_CONTEXT>", "a<img>", "</img>", "see <image-1>", "<image-7>", "<image-<image-12>"})
    EXPECT_CODE(prompt(text), Code::invalid_value);
  EXPECT_CODE(prompt("\xFF"), Code::invalid_value);
  for (const char* text : {"<image 1>", "<image->", "<image-1", "<image-x>", "img"}) EXPECT_OK(prompt(text));
}

}  // namespace
}  // namespace ramet
