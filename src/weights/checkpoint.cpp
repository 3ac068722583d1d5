#include "weights/checkpoint.h"

#include "base/names.h"
#include "weights/checkpoint_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ramet {
namespace {

namespace fs = std::filesystem;

// Where a link may end: in the directory itself, or, for DIR = .../snapshots/REVISION, in .../blobs.
bool stays_inside(const fs::path& directory, const fs::path& file) {
  std::error_code error;
  const fs::path home = fs::canonical(directory, error);
  const fs::path target = fs::canonical(file, error);
  if (error) return true;  // opening it gives the better error
  if (target.parent_path() == home) return true;
  const fs::path snapshots = home.parent_path();
  return snapshots.filename() == "snapshots" && target.parent_path() == snapshots.parent_path() / "blobs";
}

Result<SafetensorsFile> open_inside(const fs::path& directory, const fs::path& file) {
  std::error_code error;
  if (!stays_inside(directory, file))
    return fail(Code::invalid_file, file.string(), "a file of the checkpoint's own directory",
                "a link to " + fs::canonical(file, error).string());
  return SafetensorsFile::open(file);
}

Status check_mapped_tensors_exist(const CheckpointIndex& index, std::span<const SafetensorsFile> files,
                                  const fs::path& directory, const std::string& index_name) {
  for (const auto& [tensor, shard] : index.file_of) {
    const auto file = std::ranges::find(files, (directory / shard).string(), &SafetensorsFile::name);
    if (file->find(tensor) == nullptr)
      return fail(Code::invalid_file, fmt::format("{}: {}", index_name, tensor), "this tensor in " + shard,
                  "none there");
  }
  return {};
}

Status check_shard_tensors_mapped(const CheckpointIndex& index, const SafetensorsFile& file,
                                  const std::string& index_name) {
  const std::string shard = fs::path(file.name()).filename().string();
  std::vector<std::string> strangers;
  for (const SafetensorsEntry& entry : file.entries()) {
    const auto mapped = index.file_of.find(entry.name);
    if (mapped == index.file_of.end() || mapped->second != shard) strangers.push_back(entry.name);
  }
  if (strangers.empty()) return {};
  return fail(Code::surplus, file.name(), "only tensors that the index maps to this file", list_names(strangers, 5),
              "do the shards and " + index_name + " belong together?");
}

Status check_total(const CheckpointIndex& index, std::span<const SafetensorsFile> files, const std::string& name) {
  uint64_t total = 0;
  for (const SafetensorsFile& file : files)
    for (const SafetensorsEntry& entry : file.entries()) total += entry.bytes.size();
  if (!index.total_bytes || *index.total_bytes == total) return {};
  return fail(Code::invalid_file, name + ": metadata.total_size", fmt::format("{} bytes, as in the shards", total),
              std::to_string(*index.total_bytes));
}

tl::unexpected<Error> no_weights(const fs::path& directory) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& item : fs::directory_iterator(directory, error))
    if (item.path().extension() == ".safetensors") names.push_back(item.path().filename().string());
  std::ranges::sort(names);
  return fail(Code::not_found, directory.string(), fmt::format("{} or {}", kSingleFile, kIndexFile),
              names.empty() ? "neither" : list_names(names));
}

}  // namespace

std::string CheckpointTensor::where() const { return fmt::format("{}: {}", file->name(), entry->name); }
Result<ConstView> CheckpointTensor::view() const { return file->view(*entry); }

Status Checkpoint::open_index(const fs::path& index_path) {
  RAMET_TRY(const JsonFile json, JsonFile::load(index_path));
  RAMET_TRY(const CheckpointIndex index, read_checkpoint_index(json.root()));
  for (const std::string& shard : index.files()) {
    RAMET_TRY(SafetensorsFile file, open_inside(path_, path_ / shard));
    files_.push_back(std::move(file));
  }
  RAMET_TRY_STATUS(check_mapped_tensors_exist(index, files_, path_, index_path.string()));
  for (const SafetensorsFile& file : files_)
    RAMET_TRY_STATUS(check_shard_tensors_mapped(index, file, index_path.string()));
  return check_total(index, files_, index_path.string());
}

Status Checkpoint::list_tensors(std::string_view strip_prefix) {
  for (const SafetensorsFile& file : files_)
    for (const SafetensorsEntry& entry : file.entries()) {
      if (!entry.name.starts_with(strip_prefix))
        return fail(Code::invalid_file, fmt::format("{}: {}", file.name(), entry.name),
                    fmt::format("names that begin with {}", strip_prefix), entry.name);
      tensors_.push_back({entry.name.substr(strip_prefix.size()), &file, &entry});
    }
  std::ranges::sort(tensors_, {}, &CheckpointTensor::name);
  return {};
}

Result<Checkpoint> Checkpoint::open(const fs::path& path, std::string_view strip_prefix) {
  Checkpoint checkpoint;
  checkpoint.path_ = path;
  std::error_code error;
  if (!fs::exists(path, error))
    return fail(Code::not_found, path.string(), "a checkpoint directory", error ? error.message() : "nothing there");
  const bool is_directory = fs::is_directory(path, error);
  if (is_directory && !fs::exists(path / kSingleFile, error)) {
    if (!fs::exists(path / kIndexFile, error)) return no_weights(path);
    RAMET_TRY_STATUS(checkpoint.open_index(path / kIndexFile));
  } else {
    RAMET_TRY(SafetensorsFile file, is_directory ? open_inside(path, path / kSingleFile) : SafetensorsFile::open(path));
    checkpoint.files_.push_back(std::move(file));
  }
  RAMET_TRY_STATUS(checkpoint.list_tensors(strip_prefix));
  return checkpoint;
}

fs::path Checkpoint::directory() const {
  return files_.empty() ? path_ : fs::path(files_.front().name()).parent_path();
}

std::span<const CheckpointTensor> Checkpoint::with_prefix(std::string_view prefix) const {
  const auto first = std::ranges::lower_bound(tensors_, prefix, {}, &CheckpointTensor::name);
  const auto last = std::find_if(first, tensors_.end(), [&](const auto& t) { return !t.name.starts_with(prefix); });
  return {first, last};
}

const CheckpointTensor* Checkpoint::find(std::string_view tensor) const {
  const auto it = std::ranges::lower_bound(tensors_, tensor, {}, &CheckpointTensor::name);
  return it == tensors_.end() || it->name != tensor ? nullptr : &*it;
}

uint64_t Checkpoint::bytes() const {
  uint64_t total = 0;
  for (const CheckpointTensor& tensor : tensors_) total += tensor.entry->bytes.size();
  return total;
}

}  // namespace ramet
