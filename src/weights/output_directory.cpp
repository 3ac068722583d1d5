#include "weights/output_directory.h"

#include "weights/checkpoint_index.h"

#include <stdlib.h>
#include <sys/stat.h>

#include <cerrno>
#include <system_error>
#include <utility>
#include <vector>

namespace ramet {
namespace {

namespace fs = std::filesystem;

tl::unexpected<Error> cannot(const fs::path& path, std::string what, const std::error_code& error) {
  return fail(Code::no_resource, path.string(), std::move(what), error.message(),
              "check the folder, its permissions and the free space");
}

Status check_free(const fs::path& path, Existing existing) {
  std::error_code error;
  if (!fs::exists(path, error)) return {};
  if (!fs::is_directory(path, error)) return fail(Code::usage, path.string(), "a directory to write", "a file");
  if (existing == Existing::replace || fs::is_empty(path, error)) return {};
  return fail(Code::usage, path.string(), "a new or empty directory", "files in it",
              "choose another name, or pass --force to replace them");
}

// mkdtemp makes private directories; this one becomes an ordinary one.
void set_ordinary_mode(const fs::path& path) {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ::chmod(path.c_str(), 0777 & ~mask);
}

bool is_weight_file(const fs::path& file) {
  return file.extension() == ".safetensors" || file.filename() == kIndexFile;
}

Status remove_old_weights(const fs::path& directory) {
  std::error_code error;
  std::vector<fs::path> old;
  for (const auto& item : fs::directory_iterator(directory, error))
    if (is_weight_file(item.path())) old.push_back(item.path());
  for (const fs::path& file : old)
    if (fs::remove(file, error); error) return cannot(file, "to remove the old weights", error);
  return {};
}

Status move_into(const fs::path& from, const fs::path& to) {
  std::error_code error;
  std::vector<fs::path> folders, files;
  for (const auto& item : fs::recursive_directory_iterator(from, error))
    (item.is_directory() ? folders : files).push_back(item.path().lexically_relative(from));
  for (const fs::path& folder : folders)
    if (fs::create_directories(to / folder, error); error) return cannot(to / folder, "a directory", error);
  for (const fs::path& file : files)
    if (fs::rename(from / file, to / file, error); error) return cannot(to / file, "to move the finished file", error);
  return {};
}

}  // namespace

OutputDirectory::OutputDirectory(fs::path path, fs::path temporary)
    : path_(std::move(path)), temporary_(std::move(temporary)) {}

OutputDirectory::OutputDirectory(OutputDirectory&& other) noexcept
    : path_(std::move(other.path_)), temporary_(std::exchange(other.temporary_, {})) {}

OutputDirectory& OutputDirectory::operator=(OutputDirectory&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(temporary_, other.temporary_);
  return *this;
}

OutputDirectory::~OutputDirectory() {
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove_all(temporary_, ignored);
}

Result<OutputDirectory> OutputDirectory::create(const fs::path& path, Existing existing) {
  if (path.empty()) return fail(Code::usage, "output directory", "a name", "none");
  std::error_code error;
  fs::path target = fs::absolute(path, error).lexically_normal();
  if (!target.has_filename()) target = target.parent_path();  // "out/"
  RAMET_TRY_STATUS(check_free(target, existing));
  fs::create_directories(target.parent_path(), error);
  std::string name = target.string() + ".tmp-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr)
    return cannot(target, "a place to write a directory", std::error_code(errno, std::generic_category()));
  set_ordinary_mode(name);
  return OutputDirectory(std::move(target), name);
}

Status OutputDirectory::commit() {
  std::error_code error;
  if (fs::is_directory(path_, error) && !fs::is_empty(path_, error)) {
    RAMET_TRY_STATUS(remove_old_weights(path_));
    return move_into(temporary_, path_);
  }
  if (fs::rename(temporary_, path_, error); error) return cannot(path_, "to rename the finished directory", error);
  temporary_.clear();
  return {};
}

}  // namespace ramet
