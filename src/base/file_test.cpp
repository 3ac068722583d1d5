#include "base/atomic_file.h"
#include "base/mapped_file.h"

#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <fstream>
#include <iterator>

#include "support/assertions.h"
#include "support/scratch_folder.h"

namespace ramet {
namespace {

using std::filesystem::path;
using test::ScratchFolder;

std::string content(const path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

ptrdiff_t files_in(const ScratchFolder& folder) {
  return std::distance(std::filesystem::directory_iterator(folder.path()), {});
}

std::string text(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

TEST(MappedFile, ShowsTheBytes) {
  const ScratchFolder folder;
  ASSERT_OK(write_file(folder / "file", "seven"));
  ASSERT_OK(write_file(folder / "empty", ""));
  EXPECT_EQ(text(MappedFile::open(folder / "file").value()), "seven");
  EXPECT_EQ(MappedFile::open(folder / "empty")->bytes().size(), 0U);
}

TEST(MappedFile, MovingKeepsTheAddress) {
  const ScratchFolder folder;
  ASSERT_OK(write_file(folder / "a", "first"));
  ASSERT_OK(write_file(folder / "b", "second"));
  MappedFile a = MappedFile::open(folder / "a").value();
  const std::byte* address = a.bytes().data();
  MappedFile moved = std::move(a);
  EXPECT_EQ(moved.bytes().data(), address);
  EXPECT_TRUE(a.bytes().empty());
  moved = MappedFile::open(folder / "b").value();
  EXPECT_EQ(text(moved), "second");
}

TEST(MappedFile, TakesRegularFilesOnly) {
  const ScratchFolder folder;
  EXPECT_CODE(MappedFile::open(folder / "absent"), Code::not_found);
  EXPECT_CODE(MappedFile::open(folder.path()), Code::invalid_file);
  EXPECT_CODE(MappedFile::open("/dev/null"), Code::invalid_file);
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  EXPECT_CODE(MappedFile::open(folder / "fifo"), Code::invalid_file);  // and does not wait for a writer
  ASSERT_OK(write_file(folder / "file", "x"));
  EXPECT_CODE(MappedFile::open(folder / "file" / "below"), Code::no_resource);
}

TEST(AtomicFile, AppearsOnCommit) {
  const ScratchFolder folder;
  ASSERT_OK(write_file(folder / "out.json", "old"));
  auto file = AtomicFile::create(folder / "out.json");
  ASSERT_OK(file);
  ASSERT_OK(file->write("new "));
  ASSERT_OK(file->write("content"));
  EXPECT_EQ(content(folder / "out.json"), "old");
  ASSERT_OK(file->commit());
  EXPECT_EQ(content(folder / "out.json"), "new content");
  EXPECT_EQ(files_in(folder), 1);
}

TEST(AtomicFile, WithoutCommitNothingChanges) {
  const ScratchFolder folder;
  ASSERT_OK(write_file(folder / "out.json", "old"));
  {
    auto file = AtomicFile::create(folder / "out.json");
    ASSERT_OK(file->write("half of the n"));
    AtomicFile moved = std::move(*file);
    EXPECT_EQ(files_in(folder), 2);
  }
  EXPECT_EQ(content(folder / "out.json"), "old");
  EXPECT_EQ(files_in(folder), 1);
}

TEST(AtomicFile, FailedCommitLeavesNothingBehind) {
  const ScratchFolder folder;
  std::filesystem::create_directories(folder / "out" / "full");  // a file cannot replace it
  auto file = AtomicFile::create(folder / "out");
  ASSERT_OK(file);
  EXPECT_CODE(file->commit(), Code::no_resource);
  EXPECT_EQ(files_in(folder), 1);
  EXPECT_TRUE(std::filesystem::is_directory(folder / "out" / "full"));
}

// Files of this process may not grow beyond `bytes` while this lives.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : signal_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, signal_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
  void (*signal_)(int);
};

TEST(AtomicFile, FullDiskKeepsTheOldFile) {
  const ScratchFolder folder;
  ASSERT_OK(write_file(folder / "out.bin", "old"));
  {
    const FileSizeLimit limit(1000);
    EXPECT_CODE(write_file(folder / "out.bin", std::string(1001, 'x')), Code::no_resource);
  }
  EXPECT_EQ(content(folder / "out.bin"), "old");
  EXPECT_EQ(files_in(folder), 1);
}

TEST(AtomicFile, NeedsAFolder) {
  const ScratchFolder folder;
  const auto file = AtomicFile::create(folder / "absent" / "out.json");
  ASSERT_FALSE(file.has_value());
  EXPECT_EQ(file.error().code, Code::no_resource);
  EXPECT_EQ(file.error().where, (folder / "absent" / "out.json").string());
}

TEST(AtomicFile, PermissionsFollowTheUmask) {
  const ScratchFolder folder;
  const mode_t before = ::umask(027);
  const Status written = write_file(folder / "out.json", "{}");
  ::umask(before);
  ASSERT_OK(written);
  struct stat info {};
  ASSERT_EQ(::stat((folder / "out.json").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0640U);
}

TEST(AtomicFile, LibrariesMayWriteByName) {
  const ScratchFolder folder;
  auto first = AtomicFile::create(folder / "actions.npz");
  auto second = AtomicFile::create(folder / "actions.npz");
  EXPECT_NE(first->temporary_path(), second->temporary_path());
  EXPECT_EQ(first->temporary_path().extension(), ".npz");
  std::ofstream(first->temporary_path()) << "by name";
  ASSERT_OK(first->commit());
  EXPECT_EQ(content(folder / "actions.npz"), "by name");
}

}  // namespace
}  // namespace ramet
