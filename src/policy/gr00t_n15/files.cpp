#include "policy/gr00t_n15/files.h"

#include "base/is_there.h"
#include "policy/gr00t_n15/lerobot.h"
#include "policy/robot/lerobot_pipeline.h"

#include <fmt/format.h>

namespace ramet {
namespace {

namespace fs = std::filesystem;

fs::path metadata_file(const fs::path& directory) { return directory / "experiment_cfg" / "metadata.json"; }

}  // namespace

Result<N15Robot> N15Files::robot(const std::string& tag, const std::string& name, const N15Widths& widths) const {
  RAMET_TRY(const RobotMetadata metadata, robots.find(tag));
  if (!data_config) {
    RAMET_TRY(const DataConfig chosen, choose_data_config(name, metadata));
    return N15Robot::make(metadata, chosen, widths);
  }
  if (name.empty()) return N15Robot::make(metadata, *data_config, widths);
  return fail(Code::usage, "data_config", "none: " + data_config->name + " describes the robot of this directory", name,
              "leave out --data-config");
}

Result<std::optional<Gr00tN15Config>> load_n15_config(const fs::path& directory) {
  RAMET_TRY(const JsonFile file, JsonFile::load(directory / "config.json"));
  RAMET_TRY(const bool lerobot, is_lerobot(file.root()));
  if (lerobot) return std::nullopt;
  return parse_gr00t_n15_config(file.root());
}

Result<N15Files> load_n15_files(const fs::path& directory) {
  RAMET_TRY(const JsonFile file, JsonFile::load(directory / "config.json"));
  RAMET_TRY(const bool lerobot, is_lerobot(file.root()));
  if (lerobot) return load_n15_lerobot(directory, file.root());
  N15Files files;
  RAMET_TRY(files.robots, MetadataFile::load(metadata_file(directory)));
  return files;
}

Status check_n15_layout(const N15Files& files, std::string_view stored_prefix, const fs::path& directory) {
  if (files.container_prefix == stored_prefix) return {};
  const auto names = [](std::string_view prefix) {
    return prefix.empty() ? std::string("plain names, as NVIDIA's layout has")
                          : fmt::format("names that begin with {}", prefix);
  };
  return fail(Code::invalid_file, directory.string() + ": tensors", names(files.container_prefix), names(stored_prefix),
              "config.json is of the other layout: take weights and files from one directory");
}

std::vector<fs::path> missing_n15_files(const fs::path& directory) {
  const auto config = JsonFile::load(directory / "config.json");
  std::vector<fs::path> files{metadata_file(directory)};
  if (config && is_lerobot(config->root()).value_or(false))
    files = {directory / "policy_preprocessor.json", directory / "policy_postprocessor.json"};
  std::erase_if(files, [](const fs::path& path) { return is_there(path); });
  return files;
}

}  // namespace ramet
