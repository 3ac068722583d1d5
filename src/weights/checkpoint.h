// The weights of a published model directory, from headers alone.
//
// A directory holds model.safetensors, or shards and model.safetensors.index.json; the path of one .safetensors file
// is taken too. Files are mapped; no byte of a tensor is read before it is used.
//
// Checked on opening: every header (see safetensors.h); the index and the shards name the same tensors in the same
// files; the total size, if the index gives one. Shards are files of the directory itself, or links into the blob store
// of a Hugging Face cache; other links are refused.
//
// Errors: not_found, invalid_file, surplus, and those of safetensors.h.  Source: spec gr00t-n1.7, section 1.1;
// streaming, section 2.8.
#pragma once

#include "weights/safetensors.h"

#include <ramet/error.h>

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ramet {

struct CheckpointTensor {
  std::string name;  // without the prefix that was stripped
  const SafetensorsFile* file = nullptr;
  const SafetensorsEntry* entry = nullptr;

  std::string where() const;       // "DIR/model-00002-of-00002.safetensors: action_head.vlln.weight"
  Result<ConstView> view() const;  // see SafetensorsFile::view
};

class Checkpoint {
 public:
  // strip_prefix: a container prefix such as LeRobot's "_groot_model."; then every tensor must carry it.
  static Result<Checkpoint> open(const std::filesystem::path& path, std::string_view strip_prefix = {});

  const std::filesystem::path& path() const { return path_; }  // as given to open
  std::filesystem::path directory() const;
  std::span<const SafetensorsFile> files() const { return files_; }
  std::span<const CheckpointTensor> tensors() const { return tensors_; }  // sorted by name
  std::span<const CheckpointTensor> with_prefix(std::string_view prefix) const;
  const CheckpointTensor* find(std::string_view tensor) const;  // nullptr when there is none
  uint64_t bytes() const;                                       // of all tensors

 private:
  Status open_index(const std::filesystem::path& index_path);
  Status list_tensors(std::string_view strip_prefix);

  std::filesystem::path path_;
  std::vector<SafetensorsFile> files_;
  std::vector<CheckpointTensor> tensors_;
};

}  // namespace ramet
