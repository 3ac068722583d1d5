#include "base/json.h"

#include "base/atomic_file.h"

#include <gmock/gmock.h>

#include <limits>
#include <string>

#include "support/assertions.h"
#include "support/scratch_folder.h"

namespace ramet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

JsonFile parse(std::string_view text) { return JsonFile::parse(text, "config.json").value(); }

template <class T>
Result<T> get_n(std::string_view value) {
  return parse("{\"n\": " + std::string(value) + "}").root().get<T>("n");
}

TEST(Json, ReadsEveryType) {
  const JsonFile file = parse(R"({"b": true, "i": -7, "d": 0.1, "s": "text", "list": [1, 2], "grid": [[1.5], []]})");
  const Json root = file.root();
  EXPECT_EQ(root.get<bool>("b").value(), true);
  EXPECT_EQ(root.get<int64_t>("i").value(), -7);
  EXPECT_EQ(root.get<double>("d").value(), 0.1);
  EXPECT_EQ(root.get<float>("d").value(), 0.1F);
  EXPECT_EQ(root.get<double>("i").value(), -7.0);
  EXPECT_EQ(root.get<std::string>("s").value(), "text");
  EXPECT_THAT(root.get<std::vector<int64_t>>("list").value(), ElementsAre(1, 2));
  EXPECT_THAT(root.get<std::vector<std::vector<double>>>("grid").value(), ElementsAre(ElementsAre(1.5), ElementsAre()));
}

TEST(Json, ErrorsNameFileAndKey) {
  const JsonFile file = parse(R"({"text_config": {"layers": [{"size": 1}, {"size": "large"}]}})");
  const Json layers = file.root().at("text_config")->at("layers").value();
  EXPECT_EQ(layers.where(), "config.json: text_config.layers");
  const auto size = layers.at(1)->get<int64_t>("size");
  ASSERT_FALSE(size.has_value());
  EXPECT_EQ(size.error().message(), "config.json: text_config.layers[1].size: expected an integer, found \"large\"");
}

TEST(Json, MissingKeyListsTheNearestNames) {
  const JsonFile file = parse(R"({"hidden_size": 8, "num_heads": 2})");
  const auto found = file.root().get<int64_t>("hiden_size");
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().code, Code::not_found);
  EXPECT_EQ(found.error().where, "config.json: hiden_size");
  EXPECT_EQ(found.error().hint, "did you mean hidden_size?");
}

TEST(Json, NullCountsAsAbsent) {
  const JsonFile file = parse(R"({"null": null, "wrong": "text"})");
  EXPECT_FALSE(file.root().has("null"));
  EXPECT_FALSE(file.root().has("absent"));
  EXPECT_EQ(file.root().get_or<int64_t>("null", 3).value(), 3);
  EXPECT_EQ(file.root().get_or<int64_t>("absent", 4).value(), 4);
  EXPECT_CODE(file.root().get_or<int64_t>("wrong", 5), Code::invalid_value);
  EXPECT_CODE(file.root().get<int64_t>("null"), Code::invalid_value);
}

TEST(Json, IntegersAreNeverRounded) {
  EXPECT_EQ(get_n<int64_t>("9223372036854775807").value(), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(get_n<int64_t>("-9223372036854775808").value(), std::numeric_limits<int64_t>::min());
  for (const char* text : {"9223372036854775808", "-9223372036854775809", "1.0", "1e3", "0.5", "true", "\"1\""}) {
    SCOPED_TRACE(text);
    EXPECT_CODE(get_n<int64_t>(text), Code::invalid_value);
  }
}

TEST(Json, NumbersAreFinite) {
  for (const char* text : {"NaN", "Infinity", "-Infinity", "nan", "1e999", "-1e999"}) {
    SCOPED_TRACE(text);
    EXPECT_CODE(JsonFile::parse(text, "stats.json"), Code::invalid_file);
  }
  EXPECT_EQ(get_n<double>("1e300").value(), 1e300);
  EXPECT_EQ(get_n<float>("3.4e38").value(), 3.4e38F);
  EXPECT_CODE(get_n<float>("3.5e38"), Code::invalid_value);
}

TEST(Json, ListsCheckEveryElement) {
  const JsonFile file = parse(R"({"grid": [[1, 2], [3, "four"]], "flat": [1, [2]]})");
  const auto grid = file.root().get<std::vector<std::vector<float>>>("grid");
  ASSERT_FALSE(grid.has_value());
  EXPECT_EQ(grid.error().where, "config.json: grid[1][1]");
  EXPECT_CODE(file.root().get<std::vector<double>>("flat"), Code::invalid_value);
}

TEST(Json, RefusesTheWrongKind) {
  const JsonFile file = parse(R"({"list": [1], "object": {"a": 1}, "text": "t"})");
  const Json root = file.root();
  EXPECT_CODE(root.at("list")->at("a"), Code::invalid_value);
  EXPECT_CODE(root.at("list")->at(1), Code::invalid_value);
  EXPECT_CODE(root.at("object")->at(0), Code::invalid_value);
  EXPECT_CODE(root.at("object")->elements(), Code::invalid_value);
  EXPECT_CODE(root.at("list")->items(), Code::invalid_value);
  EXPECT_CODE(root.get<bool>("text"), Code::invalid_value);
  EXPECT_CODE(root.get<double>("text"), Code::invalid_value);
  EXPECT_CODE(root.get<std::string>("list"), Code::invalid_value);
  EXPECT_CODE(root.get<std::vector<int64_t>>("text"), Code::invalid_value);
}

TEST(Json, ItemsAndElementsKnowWhereTheyAre) {
  const JsonFile file = parse(R"({"b": [true, null], "a": {}})");
  const auto items = file.root().items().value();
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[0].first, "a");
  EXPECT_EQ(items[1].second.where(), "config.json: b");
  const auto elements = items[1].second.elements().value();
  ASSERT_EQ(elements.size(), 2U);
  EXPECT_EQ(elements[1].where(), "config.json: b[1]");
  EXPECT_TRUE(elements[1].is_null());
}

TEST(JsonFile, RefusesDuplicateKeys) {
  for (const char* text :
       {R"({"a": 1, "a": 1})", R"({"x": [{"a": 1, "b": {}, "a": 2}]})", R"({"a": 1, "\u0061": 2})"}) {
    const auto file = JsonFile::parse(text, "config.json");
    ASSERT_FALSE(file.has_value()) << text;
    EXPECT_EQ(file.error().code, Code::invalid_file);
    EXPECT_THAT(file.error().found, HasSubstr("\"a\" twice"));
  }
  EXPECT_OK(JsonFile::parse(R"([{"a": {"a": 1}}, {"a": 2}])", "config.json"));
}

TEST(JsonFile, RefusesDeepNesting) {
  const auto nested = [](size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_OK(JsonFile::parse(nested(64), "deep.json"));
  EXPECT_CODE(JsonFile::parse(nested(65), "deep.json"), Code::invalid_file);
  EXPECT_CODE(JsonFile::parse(std::string(10'000'000, '['), "deep.json"), Code::invalid_file);
  EXPECT_OK(JsonFile::parse("\"" + std::string(1000, '[') + "\\\"" + std::string(1000, '{') + "\"", "text.json"));
}

TEST(JsonFile, RefusesWhatIsNotJson) {
  for (const char* text : {"", " ", "{", "[1,]", "{\"a\" 1}", "{a: 1}", "[1] 2", "// no\n[1]", "['a']", "[01]",
                           "\"\xFF\"", "{\"\xC3\": 1}", "\"\xED\xA0\x80\"", "\"\\ud800\"", "\"line\nbreak\""}) {
    SCOPED_TRACE(text);
    EXPECT_CODE(JsonFile::parse(text, "config.json"), Code::invalid_file);
  }
}

TEST(JsonFile, LoadsFilesUpToALimit) {
  const test::ScratchFolder folder;
  const auto path = folder / "config.json";
  ASSERT_OK(write_file(path, R"({"a": 1})"));
  EXPECT_OK(JsonFile::load(path, 8));
  const auto too_big = JsonFile::load(path, 7);
  ASSERT_FALSE(too_big.has_value());
  EXPECT_EQ(too_big.error().code, Code::invalid_file);
  EXPECT_EQ(too_big.error().message(), path.string() + ": expected at most 7 bytes, found 8 bytes");
}

TEST(JsonFile, LoadNamesThePath) {
  const test::ScratchFolder folder;
  const auto absent = JsonFile::load(folder / "absent.json");
  ASSERT_FALSE(absent.has_value());
  EXPECT_EQ(absent.error().code, Code::not_found);
  EXPECT_EQ(absent.error().where, (folder / "absent.json").string());
  const auto directory = JsonFile::load(folder.path());
  ASSERT_FALSE(directory.has_value());
  EXPECT_EQ(directory.error().code, Code::invalid_file);
  EXPECT_EQ(directory.error().found, "something else");
}

}  // namespace
}  // namespace ramet
