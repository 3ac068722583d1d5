// Every recorded message, both ways: bytes to tree and tree to bytes.
#include "server/testing.h"
#include "server/wire/message_reader.h"
#include "server/wire/message_writer.h"
#include "support/assertions.h"

namespace ramet::server {
namespace {

using test::WireCase;

void write(MessageWriter& writer, const Value& value);

void write_list(MessageWriter& writer, const List& list) {
  writer.list(list.size());
  for (const Value& item : list) write(writer, item);
}

void write_map(MessageWriter& writer, const Map& map) {
  writer.map(map.entries.size());
  for (const Entry& entry : map.entries) {
    entry.key_is_bytes ? writer.bytes(entry.key) : writer.text(entry.key);
    write(writer, entry.value);
  }
}

void write_array(MessageWriter& writer, const Array& array) {
  if (array.is_scalar) return writer.scalar(array.descr, array.bytes);
  writer.array(array.dialect == Dialect::mnp ? ArrayForm::mnp : ArrayForm::npy,
               {array.descr, array.shape, array.bytes, array.fortran_order});
}

void write(MessageWriter& writer, const Value& value) {
  if (value.is_nil()) writer.nil();
  if (const auto* item = value.as<bool>()) writer.boolean(*item);
  if (const auto* item = value.as<int64_t>()) writer.integer(*item);
  if (const auto* item = value.as<uint64_t>()) writer.unsigned_integer(*item);
  if (const auto* item = value.as<double>()) writer.number(*item);
  if (const auto* item = value.as<Text>()) writer.text(item->view);
  if (const auto* item = value.as<Bytes>()) writer.bytes(item->view);
  if (const auto* item = value.as<Complex>()) writer.complex(item->view);
  if (const auto* item = value.as<List>()) write_list(writer, *item);
  if (const auto* item = value.as<Map>()) write_map(writer, *item);
  if (const auto* item = value.as<Array>()) write_array(writer, *item);
}

std::string rewritten(const Value& value) {
  MessageWriter writer;
  write(writer, value);
  return writer.take();
}

class WireGolden : public testing::Test {
 protected:
  void SetUp() override {
    for (WireCase& item : test::wire_cases("index.json"))
      if (item.transport.empty()) cases_.push_back(std::move(item));
    if (cases_.empty()) GTEST_SKIP() << "goldens/wire is not here";
  }
  std::vector<WireCase> cases_;
};

void expect_both_ways(const WireCase& item, const char* side, const std::optional<std::string>& bytes) {
  if (!bytes || !item.entry[side].contains("value")) return;
  SCOPED_TRACE(item.name + " " + side);
  const auto value = read_message(*bytes);
  ASSERT_OK(value);
  EXPECT_TRUE(test::same_tree(*value, item.entry[side]["value"]));
  if (!item.name.starts_with("variants.")) {
    EXPECT_EQ(rewritten(*value), *bytes);
  }
}

TEST_F(WireGolden, BytesToTreeAndTreeToBytes) {
  for (const WireCase& item : cases_) {
    expect_both_ways(item, "request", item.request);
    expect_both_ways(item, "reply", item.reply);
  }
}

TEST_F(WireGolden, VariantsAreRead) {
  int variants = 0;
  for (const WireCase& item : cases_) {
    if (!item.name.starts_with("variants.")) continue;
    SCOPED_TRACE(item.name);
    EXPECT_OK(read_message(*item.request));
    ++variants;
  }
  EXPECT_GT(variants, 3);
}

// Each prefix of a message is none. Long messages are cut at every 97th byte.
TEST_F(WireGolden, CutMessagesAreErrors) {
  constexpr size_t kShort = 1000, kStride = 97;
  for (const WireCase& item : cases_) {
    SCOPED_TRACE(item.name);
    for (size_t size = 0; size < item.request->size(); size += item.request->size() < kShort ? 1 : kStride)
      ASSERT_FALSE(read_message(std::string_view(*item.request).substr(0, size))) << size;
  }
}

TEST(WireUniversal, RepliesForEveryClient) {
  for (const WireCase& item : test::wire_cases("index.json")) {
    if (item.name != "universal.action") continue;
    const std::vector<float> values{0.25F, -0.5F, 0.75F, 1.0F};
    MessageWriter writer;
    writer.list(2);
    writer.map(1);
    writer.text("arm");
    writer.array(ArrayForm::universal,
                 {"<f4", {1, 2, 2}, {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)}});
    writer.map(0);
    EXPECT_EQ(writer.take(), *item.reply);
  }
}

TEST(MessageReader, ClaimsCostNothing) {
  const std::string nested(200, '\xdd');  // arrays within arrays that announce 3.7 billion items each
  EXPECT_CODE(read_message(nested), Code::invalid_value);
  EXPECT_CODE(read_message(std::string("\xdd\x7f\xff\xff\xff", 5)), Code::invalid_value);
  EXPECT_CODE(read_message(std::string("\xdf\x7f\xff\xff\xff", 5)), Code::invalid_value);
  EXPECT_CODE(read_message(std::string("\xc6\xff\xff\xff\xff", 5)), Code::invalid_value);
}

TEST(MessageReader, LimitsAreWhatTheySay) {
  const std::string deep = std::string(3, '\x91') + '\xc0';
  EXPECT_OK(read_message(deep, {.max_depth = 3}));
  EXPECT_CODE(read_message(deep, {.max_depth = 2}), Code::invalid_value);
  const std::string five{"\x95\x01\x02\x03\x04\x05", 6};
  EXPECT_OK(read_message(five, {.max_values = 5}));
  EXPECT_CODE(read_message(five, {.max_values = 4}), Code::invalid_value);
}

}  // namespace
}  // namespace ramet::server
