#include "policy/text/vocabulary_files.h"

#include "policy/text/byte_alphabet.h"
#include "policy/text/test_support.h"
#include "policy/text/tokenizer_search.h"
#include "policy/text/utf8.h"
#include "support/assertions.h"
#include "support/paths.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>

namespace ramet {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// The letters of the 256 bytes, then "ab" and "abc": rules a + b, ab + c.
std::vector<std::string> tiny_letters() {
  std::vector<std::string> letters(256);
  for (size_t byte = 0; byte < letters.size(); ++byte)
    append_utf8(letter_of_byte(static_cast<uint8_t>(byte)), letters[byte]);
  letters.insert(letters.end(), {"ab", "abc"});
  return letters;
}

std::string vocab_json(const std::vector<std::string>& letters) {
  std::string text;
  for (size_t id = 0; id < letters.size(); ++id) {
    const std::string escape = letters[id] == "\"" || letters[id] == "\\" ? "\\" : "";
    text += fmt::format("{}\"{}{}\":{}", id == 0 ? "{" : ",", escape, letters[id], id);
  }
  return text + "}";
}

Result<Vocabulary> from_merges(const std::string& vocab, const std::string& merges) {
  return parse_vocab_and_merges(vocab, "vocab.json", merges, "merges.txt");
}

std::string tiktoken(size_t bytes = 256) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t byte = 0; byte < bytes; ++byte)
    text += fmt::format("{}{}== {}\n", kDigits[byte >> 2], kDigits[(byte & 3) << 4], byte);
  return text;
}

struct Settings {
  std::string model = R"("type":"BPE","dropout":null,"byte_fallback":false)";
  std::string merges = R"(["a b",["ab","c"]])";
  std::string normalizer = R"({"type":"NFC"})";
  std::string regex = R"(' ?x')";
  std::string added = R"([{"id":258,"content":"<x>","normalized":false}])";
};

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) (result += c == '\\' ? "\\" : "") += c;
  return result;
}

std::string tokenizer_json(const Settings& settings = {}, std::string_view pattern = regex(PretokenPattern::qwen3_5)) {
  return fmt::format(
      R"({{"version":"1.0","added_tokens":{},"normalizer":{},"pre_tokenizer":{{"type":"Sequence","pretokenizers":[)"
      R"({{"type":"Split","pattern":{{"Regex":"{}"}},"behavior":"Isolated","invert":false}},)"
      R"({{"type":"ByteLevel","add_prefix_space":false,"use_regex":false}}]}},"post_processor":{{"type":"ByteLevel"}},)"
      R"("model":{{{},"vocab":{},"merges":{}}}}})",
      settings.added, settings.normalizer, escaped(pattern), settings.model, vocab_json(tiny_letters()),
      settings.merges);
}

template <class T>
void expect_refused(const Result<T>& result, Code code, const std::string& text) {
  EXPECT_CODE(result, code);
  EXPECT_THAT(result.error().message(), HasSubstr(text));
}

TEST(VocabAndMerges, Load) {
  const auto vocabulary = from_merges(vocab_json(tiny_letters()), "#version: 0.2\na b\r\nab c\n");
  ASSERT_OK(vocabulary);
  EXPECT_EQ(vocabulary->size(), 258u);
  EXPECT_EQ(vocabulary->spelling(257), "abc");
  EXPECT_EQ(vocabulary->rules().find(256, vocabulary->byte_token('c')), 257u);
  EXPECT_EQ(vocabulary->rules().find(256, 256), kNoToken);
}

TEST(VocabAndMerges, RefuseWhatDoesNotFit) {
  const std::string vocab = vocab_json(tiny_letters());
  const std::string merges = "a b\nab c\n";
  expect_refused(from_merges(vocab, "a b\n"), Code::invalid_file, "merges.txt: line 1");
  expect_refused(from_merges(vocab, "a b\nab c\nb c\n"), Code::invalid_file, "merges.txt: line 3");
  expect_refused(from_merges(vocab, "ab c\na b\n"), Code::invalid_file, "merges.txt: line 1");
  expect_refused(from_merges(vocab, "#version\na b\na bc\n"), Code::invalid_file, "merges.txt: line 3");
  expect_refused(from_merges(vocab, "a b\nab d\n"), Code::invalid_file, "merges.txt: line 2");
  expect_refused(from_merges(vocab, "a b\n\nab c\n"), Code::invalid_file, "merges.txt: line 2");
  expect_refused(from_merges(vocab, "a b\nab \n"), Code::invalid_file, "merges.txt: line 2");
  expect_refused(from_merges(vocab, "a b\nab \u4F60\n"), Code::invalid_file, "merges.txt: line 2");
  expect_refused(from_merges(vocab, "a b\nab \xFF\n"), Code::invalid_file, "offset 7");
  expect_refused(from_merges(vocab.substr(0, 700), merges), Code::invalid_file, "vocab.json");
  expect_refused(from_merges("[1]", merges), Code::invalid_file, "an object of tokens");
  expect_refused(from_merges("3", merges), Code::invalid_file, "an object of tokens");
  expect_refused(from_merges("{}", merges), Code::invalid_file, "vocab.json: id 0");
  expect_refused(from_merges(R"({"a":[0]})", merges), Code::invalid_file, "vocab.json: key \"a\"");
  expect_refused(from_merges(R"({"a":0.5})", merges), Code::invalid_file, "vocab.json: key \"a\"");
  expect_refused(from_merges(R"({"a":-1})", merges), Code::invalid_file, "vocab.json: id -1");
  expect_refused(from_merges(R"({"a":9223372036854775808})", merges), Code::invalid_file, "vocab.json: id -");
  expect_refused(from_merges(R"({"a b":0})", merges), Code::invalid_file, "vocab.json: key \"a b\"");
  expect_refused(from_merges(R"({"":0})", merges), Code::invalid_file, "vocab.json: id 0");
}

TEST(VocabAndMerges, RefuseDoubledOrMisplacedTokens) {
  auto letters = tiny_letters();
  letters.push_back("ab");
  expect_refused(from_merges(vocab_json(letters), "a b\nab c\na b\n"), Code::invalid_file, "vocab.json: id 258");
  letters = tiny_letters();
  std::swap(letters[7], letters[256]);
  expect_refused(from_merges(vocab_json(letters), "a b\nab c\n"), Code::invalid_file, "vocab.json: id 7");
  std::string twice = vocab_json(tiny_letters());
  twice.replace(twice.rfind("257"), 3, "256");
  expect_refused(from_merges(twice, "a b\nab c\n"), Code::invalid_file, "vocab.json: id 256");
}

TEST(Tiktoken, LoadsAndDerivesTheRules) {
  const auto vocabulary = parse_tiktoken(tiktoken() + "YWI= 256\nYWJj 257\n", "x.tiktoken");
  ASSERT_OK(vocabulary);
  EXPECT_EQ(vocabulary->spelling(257), "abc");
  EXPECT_EQ(vocabulary->rules().find('a', 'b'), 256u);
  EXPECT_EQ(vocabulary->rules().find(256, 'c'), 257u);
}

TEST(Tiktoken, RefusesBadLinesAndRanks) {
  const auto parse = [](const std::string& tail) { return parse_tiktoken(tiktoken() + tail, "x.tiktoken"); };
  for (const char* line :
       {"YWI 256", "YW=I 256", "Y!I= 256", "YWI=256", "YWI= ", "YWI= 2x", "YWJ= 256", " 256", "YWI=  256"})
    expect_refused(parse(line), Code::invalid_file, "x.tiktoken: line 257");
  expect_refused(parse("YWI= 257\n"), Code::invalid_file, "x.tiktoken: rank 256");            // 256 is missing
  expect_refused(parse("YWI= 256\nYWJj 256\n"), Code::invalid_file, "x.tiktoken: rank 256");  // twice
  expect_refused(parse("YWI= 256\nYWI= 257\n"), Code::invalid_file, "x.tiktoken: rank 257");  // the same bytes
  expect_refused(parse("YWJj 256\n"), Code::invalid_file, "x.tiktoken: rank 256");            // abc of three parts
  expect_refused(parse("YWI= 99999999999\n"), Code::invalid_file, "99999999999");
  expect_refused(parse_tiktoken(tiktoken(100), "x.tiktoken"), Code::invalid_file, "x.tiktoken: rank 100");
  expect_refused(parse_tiktoken("", "x.tiktoken"), Code::invalid_file, "x.tiktoken: rank 0");
}

TEST(TokenizerJsonFile, Loads) {
  const auto parsed = parse_tokenizer_json(tokenizer_json(), "tokenizer.json");
  ASSERT_OK(parsed);
  EXPECT_EQ(parsed->pattern, PretokenPattern::qwen3_5);
  EXPECT_EQ(parsed->vocabulary.spelling(257), "abc");
  EXPECT_THAT(parsed->added_tokens, testing::ElementsAre(AddedToken{"<x>", 258}));
}

TEST(TokenizerJsonFile, RefusesOtherAlgorithms) {
  const auto parse = [](const Settings& settings) { return parse_tokenizer_json(tokenizer_json(settings), "t.json"); };
  expect_refused(parse({.model = R"("type":"Unigram")"}), Code::unsupported, "t.json: model.type");
  expect_refused(parse({.model = R"("type":"BPE","ignore_merges":true)"}), Code::unsupported, "model.ignore_merges");
  expect_refused(parse({.model = R"("type":"BPE","unk_token":"?")"}), Code::unsupported, "model.unk_token");
  expect_refused(parse({.model = R"("type":"BPE","dropout":0.1)"}), Code::unsupported, "model.dropout");
  expect_refused(parse({.normalizer = R"({"type":"NFKC"})"}), Code::unsupported, "normalizer.type");
  expect_refused(parse_tokenizer_json(tokenizer_json({}, "x+"), "t.json"), Code::unsupported, "Regex");
  expect_refused(parse({.added = R"([{"id":258,"content":"x","lstrip":true}])"}), Code::unsupported, "[0].lstrip");
}

TEST(TokenizerJsonFile, RefusesBrokenParts) {
  const auto parse = [](const Settings& settings) { return parse_tokenizer_json(tokenizer_json(settings), "t.json"); };
  expect_refused(parse({.merges = R"(["a b",["ab"]])"}), Code::invalid_file, "t.json: model.merges 1");
  expect_refused(parse({.merges = R"(["a b",["ab","c","d"]])"}), Code::invalid_file, "t.json: model.merges 1");
  expect_refused(parse({.merges = R"(["a b",[["ab"],"c"]])"}), Code::invalid_file, "t.json: model.merges 1");
  expect_refused(parse({.merges = R"(["a b",{"ab":"c"}])"}), Code::invalid_file, "t.json: model.merges 1");
  expect_refused(parse({.merges = R"(["a b",7])"}), Code::invalid_file, "t.json: model.merges 1");
  expect_refused(parse({.merges = R"({"a":"a b"})"}), Code::invalid_file, "a list of rules");
  expect_refused(parse({.merges = R"("a b")"}), Code::invalid_file, "a list of rules");
  expect_refused(parse({.added = R"([{"content":"<x>"}])"}), Code::not_found, "t.json: added_tokens[0].id");
  const std::string whole = tokenizer_json();
  for (size_t size = 0; size < whole.size(); size += 97)
    EXPECT_CODE(parse_tokenizer_json(std::string_view(whole).substr(0, size), "t.json"), Code::invalid_file);
  expect_refused(parse_tokenizer_json("[]", "t.json"), Code::invalid_value, "t.json");
  EXPECT_CODE(parse_tokenizer_json(std::string(100'000, '['), "t.json"), Code::invalid_file);
}

class TokenizerDirectory : public testing::Test {
 protected:
  TokenizerDirectory() : root_(fs::path(testing::TempDir()) / fmt::format("ramet_tokenizer_{}", getpid())) {
    fs::remove_all(root_);
    fs::create_directories(root_);
  }
  ~TokenizerDirectory() override { fs::remove_all(root_); }
  void write(const fs::path& name, const std::string& text) const {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name, std::ios::binary) << text;
  }
  void write_vocab_and_merges() const {
    write("vocab.json", vocab_json(tiny_letters()));
    write("merges.txt", "a b\nab c\n");
  }
  fs::path root_;
};

TEST_F(TokenizerDirectory, AddedTokensComeFromTheFilesBeside) {
  write_vocab_and_merges();
  write("tokenizer_config.json", R"({"added_tokens_decoder":{"259":{"content":"<y>"},"258":{"content":"<x>"}}})");
  write("added_tokens.json", R"({"<y>":259,"<z>":260})");
  const auto tokenizer = Tokenizer::load(root_, TokenizerFamily::qwen3_5);
  ASSERT_OK(tokenizer);
  EXPECT_EQ(tokenizer->size(), 261);
  EXPECT_THAT(*tokenizer->encode("abc<z><x>"), testing::ElementsAre(257, 260, 258));
}

TEST_F(TokenizerDirectory, RefusesAddedTokensThatDisagree) {
  write_vocab_and_merges();
  write("tokenizer_config.json", R"({"added_tokens_decoder":{"258":{"content":"<x>"}}})");
  write("added_tokens.json", R"({"<x>":259})");
  expect_refused(Tokenizer::load(root_, TokenizerFamily::qwen3_5), Code::invalid_file, "added_tokens.json");
  write("added_tokens.json", R"({"<y>":258})");
  expect_refused(Tokenizer::load(root_, TokenizerFamily::qwen3_5), Code::invalid_file, "\"<y>\" with id 258");
  write("added_tokens.json", R"({"<y>":260})");
  expect_refused(Tokenizer::load(root_, TokenizerFamily::qwen3_5), Code::invalid_file, "id 259");
  write("added_tokens.json", R"({"<|im_start|>":259})");
  expect_refused(Tokenizer::load(root_, TokenizerFamily::qwen3_vl), Code::invalid_file, "<|im_start|>");
  write("tokenizer_config.json", R"({"added_tokens_decoder":{"x":{"content":"<x>"}}})");
  expect_refused(Tokenizer::load(root_, TokenizerFamily::qwen3_5), Code::invalid_file, "added_tokens_decoder.x");
}

TEST_F(TokenizerDirectory, RefusesAVocabularyThatIsCutOff) {
  write("qwen.tiktoken", tiktoken() + "YWI= 256\n");
  expect_refused(Tokenizer::load(root_), Code::invalid_file, "257");
}

TEST_F(TokenizerDirectory, RefusesTheOtherPattern) {
  write("tokenizer.json", tokenizer_json());
  ASSERT_OK(Tokenizer::load(root_, TokenizerFamily::qwen3_5));
  expect_refused(Tokenizer::load(root_, TokenizerFamily::qwen3_vl), Code::invalid_file, "pre_tokenizer");
}

TEST_F(TokenizerDirectory, SearchTakesTheFirstPlace) {
  write("installed/qwen.tiktoken", "");
  TokenizerSearch search{
      .checkpoint = root_ / "dir", .backbone = root_ / "backbone", .installed = {root_ / "installed"}};
  EXPECT_EQ(*find_tokenizer(search), root_ / "installed/qwen.tiktoken");
  write("backbone/vocab.json", "");
  EXPECT_EQ(*find_tokenizer(search), root_ / "installed/qwen.tiktoken");  // vocab.json alone is not enough
  write("backbone/merges.txt", "");
  EXPECT_EQ(*find_tokenizer(search), root_ / "backbone/vocab.json");
  write("dir/tokenizer.json", "");
  EXPECT_EQ(*find_tokenizer(search), root_ / "dir/tokenizer.json");
  write("mine/other.tiktoken", "");
  search.chosen = root_ / "mine/other.tiktoken";
  EXPECT_EQ(*find_tokenizer(search), search.chosen);
}

TEST_F(TokenizerDirectory, SearchNamesEveryPlace) {
  TokenizerSearch search{.checkpoint = root_ / "dir", .installed = {root_ / "data1", root_ / "data2"}};
  const auto found = find_tokenizer(search);
  EXPECT_CODE(found, Code::not_found);
  for (const char* part : {"dir", "data1", "data2", "make setup", "--tokenizer"})
    EXPECT_THAT(found.error().message(), HasSubstr(part));
  search.chosen = root_;
  expect_refused(find_tokenizer(search), Code::not_found, "neither");
  search.chosen = root_ / "nowhere";
  expect_refused(find_tokenizer(search), Code::not_found, "no such path");
  write("a.txt", "");
  expect_refused(Tokenizer::load(root_ / "a.txt"), Code::unsupported, "a.txt");
  write("vocab.json", "");
  expect_refused(Tokenizer::load(root_ / "vocab.json"), Code::not_found, "merges.txt");
}

}  // namespace
}  // namespace ramet
