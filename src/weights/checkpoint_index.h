// model.safetensors.index.json: which file of a sharded checkpoint holds which tensor.
//
//   {"metadata": {"total_size": BYTES}, "weight_map": {"TENSOR": "model-00001-of-00002.safetensors", ...}}
//
// File names are plain names: an index never points out of its directory.
// Errors: invalid_file.  Source: spec gr00t-n1.7, section 1.1; streaming, section 2.8.
#pragma once

#include "base/json.h"

#include <ramet/error.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ramet {

inline constexpr std::string_view kIndexFile = "model.safetensors.index.json";
inline constexpr std::string_view kSingleFile = "model.safetensors";

struct CheckpointIndex {
  std::map<std::string, std::string> file_of;  // by tensor
  std::optional<uint64_t> total_bytes;

  std::vector<std::string> files() const;  // each once, sorted
};

Result<CheckpointIndex> read_checkpoint_index(const Json& root);
std::string to_json(const CheckpointIndex& index);  // tensor names and files are UTF-8

}  // namespace ramet
