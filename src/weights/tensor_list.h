// Lists of tensors as text: "NAME <TAB> DTYPE <TAB> d0,d1,... [<TAB> HASH]", one a line; "#" begins a comment line.
//
// DTYPE is F32 or BF16; no dimensions mean a scalar; HASH is the start of the SHA-256 of the bytes, 16 digits.
// Errors: invalid_file, with the line.  Source: spec goldens.
#pragma once

#include "weights/safetensors_writer.h"

#include <ramet/error.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ramet {

struct ListedTensor {
  TensorSpec spec;
  std::string hash;  // empty: not known
};

Result<std::vector<ListedTensor>> parse_tensor_list(std::string_view text, const std::string& name);
Result<std::vector<ListedTensor>> load_tensor_list(const std::filesystem::path& path);

}  // namespace ramet
