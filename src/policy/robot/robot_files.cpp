#include "policy/robot/robot_files.h"

#include "base/is_there.h"
#include "base/names.h"
#include "policy/robot/lerobot_files.h"
#include "policy/robot/lerobot_pipeline.h"

#include <fmt/format.h>

namespace ramet {
namespace {

namespace fs = std::filesystem;

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

// Notes whether a file is there.
bool note(RobotFiles& files, const fs::path& path) {
  const bool found = is_there(path);
  (found ? files.sources : files.missing).push_back(path);
  return found;
}

Status load_nvidia(RobotFiles& files, const fs::path& directory, const Json& config) {
  RAMET_TRY(files.model, parse_gr00t_n17_config(config));
  const bool in_root = is_there(directory / "processor_config.json") || !is_folder(directory / "processor");
  const fs::path folder = in_root ? directory : directory / "processor";
  if (note(files, folder / "processor_config.json")) {
    RAMET_TRY(const JsonFile file, JsonFile::load(folder / "processor_config.json"));
    RAMET_TRY(files.processor, parse_processor_config(file.root()));
  }
  if (note(files, folder / "statistics.json")) {
    RAMET_TRY(files.statistics, Statistics::load(folder / "statistics.json"));
  }
  const fs::path ids = folder / "embodiment_id.json";
  files.embodiments = builtin_embodiment_ids();
  if (!is_there(ids)) return {};
  files.sources.push_back(ids);
  RAMET_TRY(const JsonFile file, JsonFile::load(ids));
  RAMET_TRY(files.embodiments, parse_embodiment_ids(file.root()));
  return {};
}

Status load_lerobot(RobotFiles& files, const fs::path& directory, const Json& config) {
  files.layout = CheckpointLayout::lerobot;
  files.model = released_gr00t_n17_config();
  const bool before = note(files, directory / "policy_preprocessor.json");
  const bool after = note(files, directory / "policy_postprocessor.json");
  if (!before || !after) return {};
  RAMET_TRY(LerobotProcessors loaded, load_lerobot_processors(directory, config));
  files.processor = std::move(loaded.processor);
  files.statistics = std::move(loaded.statistics);
  files.embodiments = std::move(loaded.embodiments);
  return {};
}

}  // namespace

Result<RobotFiles> load_robot_files(const fs::path& directory) {
  RobotFiles files;
  RAMET_TRY(const JsonFile config, JsonFile::load(directory / "config.json"));
  files.sources.push_back(directory / "config.json");
  RAMET_TRY(const bool lerobot, is_lerobot(config.root()));
  RAMET_TRY_STATUS(lerobot ? load_lerobot(files, directory, config.root())
                           : load_nvidia(files, directory, config.root()));
  return files;
}

Status require_complete(const RobotFiles& files) { return require_complete(files.missing); }

Status require_complete(const std::vector<fs::path>& missing) {
  if (missing.empty()) return {};
  std::vector<std::string> names;
  for (const fs::path& path : missing) names.push_back(path.filename().string());
  return fail(Code::not_found, missing.front().parent_path().string(), list_names(names), "no such file",
              "the directory is incomplete: download it again");
}

}  // namespace ramet
