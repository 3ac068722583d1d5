#include "policy/text/byte_pair_merger.h"
#include "policy/text/nfc.h"
#include "policy/text/pretokenizer.h"
#include "policy/text/test_support.h"
#include "policy/text/unicode_classes.h"
#include "policy/text/utf8.h"
#include "support/assertions.h"
#include "support/paths.h"

#include <gmock/gmock.h>

namespace ramet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr size_t kMegabyte = size_t{1} << 20;

std::string repeat(std::string_view unit, size_t bytes) {
  std::string text;
  while (text.size() < bytes) text += unit;
  return text;
}

std::vector<std::string> pretokens(std::string_view text, PretokenPattern pattern = PretokenPattern::qwen3_vl) {
  std::vector<std::string> pieces;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = pretoken_end(text, begin, pattern);
    pieces.emplace_back(text.substr(begin, end - begin));
    begin = end;
  }
  return pieces;
}

TEST(UnicodeClasses, AreTheRangesOfTheGolden) {
  const auto directory = test::golden_dir("qwen_tokenizer");
  if (!directory) GTEST_SKIP() << "no golden qwen_tokenizer";
  const auto file = JsonFile::load(*directory / "classes.json");
  ASSERT_OK(file);
  std::vector<CharClass> expected(0x110000, CharClass::other);
  for (const auto& [name, kind] : {std::pair{"letter", CharClass::letter}, std::pair{"number", CharClass::number},
                                   std::pair{"space", CharClass::space}}) {
    const auto ranges = file->root().get<std::vector<std::vector<double>>>(name);
    ASSERT_OK(ranges);
    for (const auto& range : *ranges)
      for (auto c = static_cast<size_t>(range[0]); c <= static_cast<size_t>(range[1]); ++c) expected[c] = kind;
  }
  for (char32_t c = 0; c < expected.size(); ++c) {
    const CharClass found = char_class(c) == CharClass::mark ? CharClass::other : char_class(c);
    ASSERT_EQ(found, expected[c]) << "U+" << std::hex << static_cast<uint32_t>(c);
  }
}

TEST(UnicodeClasses, KnowMarks) {
  for (const char32_t mark : {U'\u0301', U'\u093F', U'\u20DD', U'\U000E01EF'})
    EXPECT_EQ(char_class(mark), CharClass::mark);
  EXPECT_EQ(char_class(U'\u02B0'), CharClass::letter);
  EXPECT_EQ(char_class(0x10FFFF), CharClass::other);
}

TEST(Pretokenizer, TakesTheFirstAlternative) {
  EXPECT_THAT(pretokens("don't I'LLx 'sun"), ElementsAre("don", "'t", " I", "'LL", "x", " '", "sun"));
  EXPECT_THAT(pretokens("a'\u017Fb"), ElementsAre("a", "'\u017F", "b"));
  EXPECT_THAT(pretokens("x12"), ElementsAre("x", "1", "2"));
  EXPECT_THAT(pretokens("  two\twords"), ElementsAre(" ", " two", "\twords"));
  EXPECT_THAT(pretokens("a!?\r\nb ?!"), ElementsAre("a", "!?\r\n", "b", " ?!"));
  EXPECT_THAT(pretokens("a \n \n  b  "), ElementsAre("a", " \n \n", " ", " b", "  "));
  EXPECT_THAT(pretokens("\u3000\u00A0x"), ElementsAre("\u3000", "\u00A0x"));
  EXPECT_THAT(pretokens("'"), ElementsAre("'"));
  EXPECT_THAT(pretokens("'\u00E9"), ElementsAre("'\u00E9"));
}

TEST(Pretokenizer, PatternsDifferInMarks) {
  const std::string hindi = "\u0915\u093F\u0924";  // letter, mark, letter
  EXPECT_THAT(pretokens(hindi), ElementsAre("\u0915", "\u093F\u0924"));
  EXPECT_THAT(pretokens(hindi, PretokenPattern::qwen3_5), ElementsAre(hindi));
  EXPECT_THAT(pretokens("!\u0301\u0302?", PretokenPattern::qwen3_5), ElementsAre("!\u0301\u0302", "?"));
  EXPECT_THAT(pretokens("!\u0301\u0302?"), ElementsAre("!\u0301\u0302?"));
  EXPECT_EQ(pattern_of_regex(regex(PretokenPattern::qwen3_5)), PretokenPattern::qwen3_5);
  EXPECT_EQ(pattern_of_regex("\\w+"), std::nullopt);
}

TEST(Nfc, ComposesReordersAndKeepsWhatUnicode9DoesNotKnow) {
  EXPECT_EQ(normalize_nfc("e\u0301"), "\u00E9");
  EXPECT_EQ(normalize_nfc("\u212B"), "\u00C5");                              // Angstrom sign
  EXPECT_EQ(normalize_nfc("\u1100\u1161\u11A8"), "\uAC01");                  // Hangul jamo
  EXPECT_EQ(normalize_nfc("\u0958"), "\u0915\u093C");                        // excluded from composition
  EXPECT_EQ(normalize_nfc("a\u0301\u0323"), "\u1EA1\u0301");                 // classes 230, 220
  EXPECT_EQ(normalize_nfc("a\u033D\u0301"), "a\u033D\u0301");                // blocked by a mark of the same class
  EXPECT_EQ(normalize_nfc("q\u1DF6\u0323"), "q\u1DF6\u0323");                // U+1DF6 is of Unicode 10
  EXPECT_EQ(normalize_nfc("\U00011935\U00011930"), "\U00011935\U00011930");  // of Unicode 13
  EXPECT_EQ(normalize_nfc("\u0344"), "\u0308\u0301");
  EXPECT_EQ(normalize_nfc(std::string("a\0b", 3)), std::string("a\0b", 3));
}

TEST(Nfc, LongRunsOfMarksTakeLinearTime) {
  const std::string upper = repeat("\u0301", kMegabyte);
  const std::string lower = repeat("\u0323", kMegabyte);
  EXPECT_EQ(normalize_nfc("q" + upper + lower), "q" + lower + upper);
  EXPECT_EQ(normalize_nfc(repeat("\u0F73", kMegabyte)).size(), 2 * repeat("\u0F73", kMegabyte).size());
}

TEST(BytePairMerger, LowestRankThenLeftmost) {
  const auto tokenizer = test::tiny_tokenizer({{"b", "c"}, {"a", "b"}, {"a", "a"}, {"aa", "a"}});
  ASSERT_OK(tokenizer);
  EXPECT_THAT(*tokenizer->encode("abc"), ElementsAre('a', 256));
  EXPECT_THAT(*tokenizer->encode("aaa"), ElementsAre(259));
  EXPECT_THAT(*tokenizer->encode("aaaa"), ElementsAre(258, 258));
  EXPECT_THAT(*tokenizer->encode("aaaaa"), ElementsAre(258, 259));
}

TEST(BytePairMerger, WorkIsLinearInPairs) {
  const auto vocabulary = test::tiny_vocabulary({{"a", "a"}, {"aa", "aa"}, {"aaaa", "aaaa"}, {"aa", "a"}});
  ASSERT_OK(vocabulary);
  std::vector<uint32_t> tokens(kMegabyte, vocabulary->byte_token('a'));
  BytePairMerger merger;
  merger.merge(vocabulary->rules(), tokens);
  EXPECT_EQ(tokens.size(), kMegabyte / 8);
  EXPECT_LE(merger.candidates(), 3 * kMegabyte);
}

TEST(Tokenizer, MegabytesOfOneKindRoundTrip) {
  const auto tokenizer = test::tiny_tokenizer({{"a", "a"}, {" ", " "}, {"\xF0", "\x9F"}}, {"<x>", "<xy>"});
  ASSERT_OK(tokenizer);
  for (const std::string_view unit : {"a", " ", "7", "\n", " \n", "'", "\U0001F916", "\u0301", "<x", "<x>", "a b"}) {
    const std::string text = repeat(unit, kMegabyte);
    const auto ids = tokenizer->encode(text);
    ASSERT_OK(ids);
    EXPECT_EQ(*tokenizer->decode(*ids), text) << unit;
  }
}

TEST(Tokenizer, AddedTokensAreLeftmostLongestAndOutsideNfc) {
  const auto tokenizer = test::tiny_tokenizer({}, {"<a>", "<a><b>", "\u00C5"});
  ASSERT_OK(tokenizer);
  EXPECT_THAT(*tokenizer->encode("<a><b><a>x"), ElementsAre(257, 256, 'x'));
  EXPECT_THAT(*tokenizer->encode("\u00C5"), ElementsAre(258));
  EXPECT_THAT(*tokenizer->encode("A\u030A"), ElementsAre(0xC3, 0x85));  // composes after the cut
  EXPECT_THAT(*tokenizer->encode(""), ElementsAre());
  EXPECT_EQ(tokenizer->added_token("<a><b>"), 257);
  EXPECT_EQ(tokenizer->added_token("<c>"), std::nullopt);
}

TEST(Tokenizer, RefusesTextThatIsNotUtf8) {
  const auto tokenizer = test::tiny_tokenizer({});
  ASSERT_OK(tokenizer);
  for (const std::string_view bad : {"ab\xFF", "ab\xC3", "ab\xED\xA0\x80", "ab\xC0\x80", "ab\xF4\x90\x80\x80"}) {
    const auto ids = tokenizer->encode(bad);
    EXPECT_CODE(ids, Code::invalid_value);
    EXPECT_THAT(ids.error().message(), HasSubstr("at offset 2"));
  }
}

TEST(Tokenizer, RefusesIdsThatAreNoTokens) {
  const auto tokenizer = test::tiny_tokenizer({}, {"<a>"});
  ASSERT_OK(tokenizer);
  EXPECT_EQ(*tokenizer->decode(std::vector<int64_t>{256, 'x', 0xFF}), "<a>x\uFFFD");
  for (const int64_t id : {int64_t{-1}, int64_t{257}, int64_t{1} << 40})
    EXPECT_CODE(tokenizer->decode(std::vector<int64_t>{id}), Code::invalid_value);
}

}  // namespace
}  // namespace ramet
