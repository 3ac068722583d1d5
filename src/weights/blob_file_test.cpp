#include "weights/blob_file.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "support/assertions.h"

namespace ramet {
namespace {

namespace fs = std::filesystem;

class Blobs : public testing::Test {
 protected:
  Blobs() { fs::create_directories(folder_); }
  ~Blobs() override { fs::remove_all(folder_); }

  Status write(std::string_view identity = "weights of today") {
    RAMET_TRY(BlobFileWriter writer, BlobFileWriter::create(path_, identity, {{"b", 100}, {"a", 64}}));
    std::memset(writer.blob(0), 1, 100);
    std::memset(writer.blob(1), 2, 64);
    return writer.commit(pool_);
  }
  void poke(std::streamoff from_end) {
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-from_end, std::ios::end);
    file.put('\x55');
  }

  fs::path folder_ = fs::temp_directory_path() / ("ramet-blobs-" + std::to_string(::getpid()));
  fs::path path_ = folder_ / "weights.safetensors";
  ThreadPool pool_{2};
};

TEST_F(Blobs, ComeBackAsTheyWereWritten) {
  ASSERT_OK(write());
  const auto file = BlobFile::open(path_, "weights of today");
  ASSERT_OK(file);
  ASSERT_OK(file->verify(pool_));
  ASSERT_EQ(file->find("b").size(), 128U);
  EXPECT_EQ(file->find("b")[99], std::byte{1});
  EXPECT_EQ(file->find("a")[0], std::byte{2});
  EXPECT_EQ(reinterpret_cast<uintptr_t>(file->find("a").data()) % 64, 0U);
  EXPECT_TRUE(file->find("c").empty());
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(Blobs, OfOtherWeightsAreRefused) {
  ASSERT_OK(write());
  for (const char* identity : {"weights of yesterday", "weights of toda", "weights of today!"}) {
    const auto file = BlobFile::open(path_, identity);
    ASSERT_FALSE(file) << identity;
    EXPECT_EQ(file.error().code, Code::invalid_value);
  }
}

TEST_F(Blobs, DamageIsFound) {
  for (const std::streamoff from_end : {64, 64 + 64 + 1, 64 + 64 + 64 + 100}) {  // checksums, blob a, blob b
    ASSERT_OK(write());
    poke(from_end);
    const auto file = BlobFile::open(path_, "weights of today");
    ASSERT_OK(file);
    EXPECT_FALSE(file->verify(pool_)) << from_end;
  }
  ASSERT_OK(write());
  fs::resize_file(path_, fs::file_size(path_) - 1);
  EXPECT_FALSE(BlobFile::open(path_, "weights of today"));
}

TEST_F(Blobs, NothingIsLeftOfAnUnfinishedFile) {
  {
    auto writer = BlobFileWriter::create(path_, "x", {{"a", 10}});
    ASSERT_OK(writer);
    EXPECT_FALSE(fs::exists(path_));
  }
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(Blobs, AFullDiskIsAnError) {
  const auto writer = BlobFileWriter::create(path_, "x", {{"a", int64_t{1} << 50}});
  ASSERT_FALSE(writer);
  EXPECT_EQ(writer.error().code, Code::no_resource);
  EXPECT_TRUE(fs::is_empty(folder_));
  EXPECT_FALSE(BlobFileWriter::create(folder_ / "missing/x", "x", {{"a", 10}}));
}

}  // namespace
}  // namespace ramet
