#include "weights/safetensors.h"

#include "tensor/buffer.h"
#include "weights/safetensors_writer.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <bit>
#include <fstream>

#include "support/assertions.h"
#include "support/paths.h"

namespace ramet {
namespace {

using testing::HasSubstr;

std::filesystem::path scratch(const std::string& name) {
  return std::filesystem::path(testing::TempDir()) / fmt::format("{}_{}", getpid(), name);
}

// A file image: length, header, data of zeros.
std::string image(std::string_view header, size_t data_bytes) {
  const auto length = std::bit_cast<std::array<char, 8>>(static_cast<uint64_t>(header.size()));
  return std::string(length.begin(), length.end()) + std::string(header) + std::string(data_bytes, '\0');
}

Result<SafetensorsFile> parse(std::string_view bytes) {
  return SafetensorsFile::parse(std::as_bytes(std::span(bytes.data(), bytes.size())), "x.safetensors");
}

TEST(Safetensors, WhatIsWrittenIsRead) {
  const std::vector<float> numbers{1.5F, -2.0F, 3.0F, 0.25F, 5.0F, 6.0F};
  auto matrix = Buffer::copy_of<float>(DType::f32, {2, 3}, numbers);
  auto ids = Buffer::copy_of<int64_t>(DType::i64, {2}, std::vector<int64_t>{7, -1});
  ASSERT_OK(matrix);
  ASSERT_OK(ids);
  const auto path = scratch("round.safetensors");
  const std::vector<NamedView> tensors{{"b.matrix \"quoted\"", std::as_const(*matrix).view()},
                                       {"a.ids", std::as_const(*ids).view()}};
  ASSERT_OK(write_safetensors(path, tensors));
  const auto file = SafetensorsFile::open(path);
  ASSERT_OK(file);
  ASSERT_EQ(file->entries().size(), 2U);
  EXPECT_EQ(file->entries()[0].name, "a.ids");
  const auto view = file->view("b.matrix \"quoted\"");
  ASSERT_OK(view);
  EXPECT_EQ(view->shape(), (Shape{2, 3}));
  EXPECT_THAT(view->flat<float>(), testing::ElementsAreArray(numbers));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(view->bytes()) % 64, 0U);
  std::filesystem::remove(path);
}

TEST(Safetensors, ScalarsEmptyTensorsAndFilesWithoutTensors) {
  const std::string text = image(
      R"({"s":{"dtype":"F32","shape":[],"data_offsets":[0,4]},"e":{"dtype":"F32","shape":[0,7],"data_offsets":[4,4]}})",
      4);
  const auto file = parse(text);
  ASSERT_OK(file);
  EXPECT_EQ(file->find("s")->shape.rank(), 0);
  EXPECT_TRUE(file->find("e")->bytes.empty());
  EXPECT_OK(parse(image("{}  ", 0)));
  EXPECT_OK(parse(image(R"({"__metadata__":{"format":"pt"}})", 0)));
}

TEST(Safetensors, UnknownNamesListNearOnes) {
  const std::string text = image(R"({"layer.weight":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})", 2);
  const auto file = parse(text);
  ASSERT_OK(file);
  const auto view = file->view("layer.wieght");
  EXPECT_CODE(view, Code::not_found);
  EXPECT_THAT(view.error().message(), HasSubstr("did you mean layer.weight?"));
}

TEST(Safetensors, TypesWithoutKernelsAreListedButNotViewed) {
  const std::string text = image(R"({"q":{"dtype":"F8_E4M3","shape":[2],"data_offsets":[0,2]}})", 2);
  const auto file = parse(text);
  ASSERT_OK(file);
  EXPECT_EQ(file->find("q")->dtype_name, "F8_E4M3");
  EXPECT_CODE(file->view("q"), Code::unsupported_dtype);
}

TEST(Safetensors, MisalignedTensorsAreNotViewed) {
  const std::string header =
      R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"b":{"dtype":"F32","shape":[1],"data_offsets":[1,5]}})";
  const std::string text = image(fmt::format("{:<160}", header), 5);
  const auto file = parse(text);
  ASSERT_OK(file);
  EXPECT_OK(file->view("a"));
  EXPECT_CODE(file->view("b"), Code::unsupported);
}

struct Broken {
  const char* what;
  std::string bytes;
  Code code;
  const char* message;
};

std::string object(const std::string& items) { return fmt::format("{{{}}}", items); }

std::string entry(const char* dtype, const char* shape, const char* offsets) {
  return fmt::format(R"("t":{{"dtype":"{}","shape":{},"data_offsets":{}}})", dtype, shape, offsets);
}

std::string one(const char* dtype, const char* shape, const char* offsets, size_t data) {
  return image(object(entry(dtype, shape, offsets)), data);
}

TEST(Safetensors, EveryBrokenHeaderIsRefused) {
  const std::string deep = std::string(200, '[') + std::string(200, ']');
  const std::vector<Broken> cases{
      {"empty file", "", Code::invalid_file, "0 bytes"},
      {"seven bytes", "1234567", Code::invalid_file, "7 bytes"},
      {"length past the end", std::string("\x03\0\0\0\0\0\0\0{}", 10), Code::invalid_file, "at most 2 bytes"},
      {"length over the limit", std::string("\xff\xff\xff\xff\xff\xff\xff\xff{}", 10), Code::invalid_file, "header"},
      {"no JSON", image("{\"a\"", 0), Code::invalid_file, "JSON"},
      {"empty header", image("", 0), Code::invalid_file, "JSON"},
      {"not UTF-8", image("{\"\xff\":1}", 0), Code::invalid_file, "JSON"},
      {"a list", image("[]", 0), Code::invalid_file, "object"},
      {"too deep", image(object("\"a\":" + deep), 0), Code::invalid_file, "levels"},
      {"name twice", image(object(entry("U8", "[1]", "[0,1]") + "," + entry("U8", "[1]", "[1,2]")), 2),
       Code::invalid_file, "twice"},
      {"entry is a number", image(R"({"t":3})", 0), Code::invalid_file, "t"},
      {"no dtype", image(R"({"t":{"shape":[1],"data_offsets":[0,1]}})", 1), Code::invalid_file, "t.dtype"},
      {"no shape", image(R"({"t":{"dtype":"U8","data_offsets":[0,1]}})", 1), Code::invalid_file, "t.shape"},
      {"no offsets", image(R"({"t":{"dtype":"U8","shape":[1]}})", 1), Code::invalid_file, "t.data_offsets"},
      {"unknown dtype", one("F7", "[1]", "[0,1]", 1), Code::invalid_file, "F7"},
      {"negative dimension", one("U8", "[-1]", "[0,1]", 1), Code::invalid_file, "-1"},
      {"fractional dimension", one("U8", "[1.5]", "[0,1]", 1), Code::invalid_file, "integer"},
      {"too many dimensions", one("U8", "[1,1,1,1,1,1,1]", "[0,1]", 1), Code::unsupported, "6 dimensions"},
      {"product overflows to the right size", one("F32", "[4611686018427387905,4]", "[0,16]", 16), Code::invalid_file,
       "16 bytes"},
      {"a zero that hides an overflow", one("U8", "[0,4611686018427387904,4]", "[0,0]", 0), Code::invalid_file,
       "0 bytes"},
      {"dimension over 63 bits", one("U8", "[18446744073709551615]", "[0,1]", 1), Code::invalid_file, "2^63"},
      {"shape and size differ", one("F32", "[2]", "[0,4]", 4), Code::invalid_file, "4 bytes"},
      {"three offsets", one("U8", "[1]", "[0,1,2]", 2), Code::invalid_file, "[0,1,2]"},
      {"negative offset", one("U8", "[1]", "[-1,0]", 1), Code::invalid_file, "[-1,0]"},
      {"end before begin", one("U8", "[1]", "[2,1]", 2), Code::invalid_file, "[2,1]"},
      {"end past the file", one("U8", "[2]", "[0,2]", 1), Code::invalid_file, "1 bytes of data"},
      {"hole at the start", one("U8", "[1]", "[1,2]", 2), Code::invalid_file, "previous tensor ends"},
      {"bytes after the last tensor", one("U8", "[1]", "[0,1]", 2), Code::invalid_file, "as the header says"},
      {"overlap",
       image(object(entry("U8", "[2]", "[0,2]") + R"(,"u":{"dtype":"U8","shape":[2],"data_offsets":[1,3]})"), 3),
       Code::invalid_file, "x.safetensors: u"},
      {"same bytes twice",
       image(object(entry("U8", "[2]", "[0,2]") + R"(,"u":{"dtype":"U8","shape":[2],"data_offsets":[0,2]})"), 2),
       Code::invalid_file, "previous tensor ends"},
  };
  for (const Broken& broken : cases) {
    SCOPED_TRACE(broken.what);
    const auto file = parse(broken.bytes);
    EXPECT_CODE(file, broken.code);
    EXPECT_THAT(file.error().message(), HasSubstr("x.safetensors"));
    EXPECT_THAT(file.error().message(), HasSubstr(broken.message));
  }
}

TEST(Safetensors, MissingFilesAndFoldersAreRefused) {
  EXPECT_CODE(SafetensorsFile::open(scratch("absent")), Code::not_found);
  EXPECT_CODE(SafetensorsFile::open(testing::TempDir()), Code::invalid_file);
}

TEST(SafetensorsWriter, RefusesBadNames) {
  const auto path = scratch("bad.safetensors");
  const TensorSpec spec{"a", DType::f32, {1}};
  EXPECT_CODE(SafetensorsWriter::create(path, std::vector{spec, spec}), Code::invalid_value);
  EXPECT_CODE(SafetensorsWriter::create(path, std::vector{TensorSpec{"__metadata__", DType::f32, {1}}}),
              Code::invalid_value);
  EXPECT_CODE(SafetensorsWriter::create(path, std::vector{TensorSpec{"\xff", DType::f32, {1}}}), Code::invalid_value);
  EXPECT_CODE(SafetensorsWriter::create(scratch("no/such/folder/x.safetensors"), std::vector{spec}), Code::no_resource);
}

TEST(SafetensorsWriter, UnfinishedFilesDisappear) {
  const auto path = scratch("unfinished.safetensors");
  {
    auto writer = SafetensorsWriter::create(path, std::vector{TensorSpec{"a", DType::f32, {4}}});
    ASSERT_OK(writer);
    ASSERT_OK(writer->write(std::vector<std::byte>(8)));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(SafetensorsGolden, EveryTensorOfACaseHasAView) {
  const auto dir = test::golden_dir("n15_one");
  if (!dir) GTEST_SKIP() << "goldens/n15_one is not here";
  const auto file = SafetensorsFile::open(*dir / "fp32.safetensors");
  ASSERT_OK(file);
  EXPECT_GT(file->entries().size(), 10U);
  for (const SafetensorsEntry& entry : file->entries()) EXPECT_OK(file->view(entry));
}

}  // namespace
}  // namespace ramet
