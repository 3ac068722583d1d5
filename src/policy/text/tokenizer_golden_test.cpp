#include "base/json.h"
#include "policy/text/formalize.h"
#include "policy/text/test_support.h"
#include "support/assertions.h"
#include "support/paths.h"

#include <regex>

namespace ramet {
namespace {

using Ids = std::vector<int64_t>;

class TokenizerGolden : public testing::Test {
 protected:
  void load(TokenizerFamily family, const std::string& golden, const std::string& file) {
    if (!test::qwen_vocabulary()) GTEST_SKIP() << test::kNoVocabulary;
    const auto directory = test::golden_dir(golden);
    if (!directory) GTEST_SKIP() << "no golden " << golden;
    auto loaded = test::load_qwen(family);
    ASSERT_OK(loaded);
    tokenizer_.emplace(std::move(*loaded));
    auto json = JsonFile::load(*directory / file);
    ASSERT_OK(json);
    json_.emplace(std::move(*json));
  }
  // Encodes `text` of an entry and compares with `ids` of it.
  void expect_ids(const std::string& text, const Ids& ids) const {
    const auto encoded = tokenizer_->encode(text);
    ASSERT_OK(encoded);
    EXPECT_EQ(*encoded, ids) << text;
  }

  std::optional<Tokenizer> tokenizer_;
  std::optional<JsonFile> json_;
};

TEST_F(TokenizerGolden, Strings) {
  ASSERT_NO_FATAL_FAILURE(load(TokenizerFamily::qwen3_vl, "qwen_tokenizer", "strings.json"));
  if (!json_) return;
  const auto entries = json_->root().elements();
  ASSERT_OK(entries);
  EXPECT_EQ(entries->size(), 514u);
  size_t unchanged = 0;
  for (const Json& entry : *entries) {
    const std::string text = *entry.get<std::string>("text");
    const Ids ids = test::ints(*entry.at("ids"));
    SCOPED_TRACE(entry.where() + " " + *entry.get<std::string>("group"));
    expect_ids(text, ids);
    unchanged += *tokenizer_->decode(ids) == text;
  }
  EXPECT_EQ(unchanged, 462u);  // the others are not in NFC
}

TEST_F(TokenizerGolden, Decode) {
  ASSERT_NO_FATAL_FAILURE(load(TokenizerFamily::qwen3_vl, "qwen_tokenizer", "decode.json"));
  if (!json_) return;
  const auto entries = json_->root().elements();
  ASSERT_OK(entries);
  for (const Json& entry : *entries) {
    const auto text = tokenizer_->decode(test::ints(*entry.at("ids")));
    ASSERT_OK(text);
    EXPECT_EQ(*text, *entry.get<std::string>("text")) << entry.where();
  }
}

TEST_F(TokenizerGolden, InstructionsOfN17) {
  ASSERT_NO_FATAL_FAILURE(load(TokenizerFamily::qwen3_vl, "n17_processors", "text.json"));
  if (!json_) return;
  const auto cases = json_->root().at("cases")->elements();
  ASSERT_OK(cases);
  for (const Json& entry : *cases) {
    SCOPED_TRACE(entry.where());
    const std::string instruction = *entry.get<std::string>("instruction");
    const auto formal = formalize_language(instruction);
    ASSERT_OK(formal);
    EXPECT_EQ(*formal, *entry.get<std::string>("formalized"));
    expect_ids(*formal, test::ints(*entry.at("ids")));
    if (entry.has("ids_unformalized")) expect_ids(instruction, test::ints(*entry.at("ids_unformalized")));
  }
}

// "<image-1><image-2>" stands for "<image 1><img>" + context tokens + "</img>" and so on.
std::string expand_eagle_images(std::string text, const std::vector<int64_t>& context_tokens) {
  for (size_t i = 0; i < context_tokens.size(); ++i) {
    std::string image = "<image " + std::to_string(i + 1) + "><img>";
    for (int64_t n = 0; n < context_tokens[i]; ++n) image += "<IMG_CONTEXT>";
    text = std::regex_replace(text, std::regex("<image-" + std::to_string(i + 1) + ">"), image + "</img>");
  }
  return text;
}

TEST_F(TokenizerGolden, PromptsOfN16) {
  ASSERT_NO_FATAL_FAILURE(load(TokenizerFamily::eagle, "n16_processors", "prompts.json"));
  if (!json_) return;
  const auto entries = json_->root().elements();
  ASSERT_OK(entries);
  size_t compared = 0;
  for (const Json& entry : *entries) {
    if (!entry.has("template")) continue;
    SCOPED_TRACE(entry.where());
    const std::string instruction = *entry.get<std::string>("instruction");
    const std::string rendered = *entry.get<std::string>("template");
    const auto formal = formalize_language(instruction);
    ASSERT_OK(formal);
    EXPECT_NE(rendered.find(*entry.get<bool>("formalize_language") ? *formal : instruction), std::string::npos);
    expect_ids(expand_eagle_images(rendered, test::ints(*entry.at("images"))), test::ints(*entry.at("input_ids")));
    ++compared;
  }
  EXPECT_GT(compared, 60u);
}

// All ways to publish the vocabulary give the same tokenizer.
TEST(TokenizerFiles, AgreeWithEachOther) {
  const auto goldens = test::golden_dir("tokenizer");
  const auto installed = test::source_dir() / "build/data/qwen.tiktoken";
  if (!goldens || !std::filesystem::exists(installed))
    GTEST_SKIP() << "needs both goldens/tokenizer and build/data/qwen.tiktoken";
  const auto a = Tokenizer::load(*goldens);
  const auto b = Tokenizer::load(installed);
  ASSERT_OK(a);
  ASSERT_OK(b);
  ASSERT_EQ(a->size(), 151669);
  ASSERT_EQ(b->size(), a->size());
  for (int64_t id = 0; id < a->size(); ++id) {
    const std::string spelling = *a->decode(Ids{id});
    ASSERT_EQ(spelling, *b->decode(Ids{id})) << id;
    ASSERT_EQ(*a->encode(spelling), *b->encode(spelling)) << id;
  }
}

}  // namespace
}  // namespace ramet
