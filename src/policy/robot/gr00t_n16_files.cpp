#include "policy/robot/gr00t_n16_files.h"

#include "base/is_there.h"

namespace ramet {

namespace fs = std::filesystem;

Result<Gr00tN16Files> load_gr00t_n16_files(const fs::path& directory) {
  Gr00tN16Files files;
  RAMET_TRY(const JsonFile config, JsonFile::load(directory / "config.json"));
  RAMET_TRY(files.model, parse_gr00t_n16_config(config.root()));
  for (const char* name : {"processor_config.json", "statistics.json"})
    if (!is_there(directory / name)) files.missing.push_back(directory / name);
  if (const fs::path path = directory / "processor_config.json"; is_there(path)) {
    RAMET_TRY(const JsonFile file, JsonFile::load(path));
    RAMET_TRY(files.processor, parse_n16_processor_config(file.root()));
  }
  if (const fs::path path = directory / "statistics.json"; is_there(path)) {
    RAMET_TRY(files.statistics, Statistics::load(path));
  }
  files.embodiments = n16_embodiment_ids();
  if (const fs::path path = directory / "embodiment_id.json"; is_there(path)) {
    RAMET_TRY(const JsonFile file, JsonFile::load(path));
    RAMET_TRY(files.embodiments, parse_embodiment_ids(file.root(), n16_embodiment_ids()));
  }
  return files;
}

Result<Robot> make_robot(const Gr00tN16Files& files, std::string_view name) {
  RAMET_TRY_STATUS(require_complete(files.missing));
  const Gr00tN16Config& model = files.model;
  return make_robot({.processor = *files.processor,
                     .statistics = *files.statistics,
                     .embodiments = files.embodiments,
                     .limits = {.max_num_embodiments = model.max_num_embodiments,
                                .action_horizon = model.action_horizon,
                                .max_state_dim = model.max_state_dim,
                                .max_action_dim = model.max_action_dim,
                                .state_history_length = {}}},
                    name);
}

}  // namespace ramet
