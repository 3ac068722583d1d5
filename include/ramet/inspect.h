// What a checkpoint directory holds, from its headers alone.
#pragma once

#include <ramet/types.h>

namespace ramet {

struct TensorInfo {
  std::string name, dtype, file, category;
  std::vector<int64_t> shape;
  int64_t bytes = 0;
};

struct CategoryInfo {
  std::string category;
  int64_t tensors = 0, parameters = 0, bytes = 0;
};

struct Setting {
  std::string name, value, source;  // source: the file, option or default it comes from
};

struct Inspection {
  std::string version;  // "GR00T N1.7", "Qwen3-VL", ...
  std::string layout;   // "published", "lerobot"
  std::vector<std::string> files, missing, surplus;
  std::vector<EmbodimentInfo> embodiments;
  std::vector<TensorInfo> tensors;
  std::vector<CategoryInfo> categories;
  std::vector<Setting> settings;      // sizes of the model, horizon, steps
  std::vector<Setting> quirks;        // switches between the reference's behaviours, and their value
  std::vector<std::string> problems;  // one line each; empty: the directory can be opened
  int64_t weight_bytes = 0;
  std::vector<std::pair<std::string, int64_t>> bytes_by_mode;  // "oracle resident", ...
};

Result<Inspection> inspect(const std::filesystem::path& directory, const EngineOptions& options = {});

}  // namespace ramet
