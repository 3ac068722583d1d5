// Settings of the engine and of the robot, by precedence:
//
//   option --NAME > environment RAMET_NAME > ramet.json in the checkpoint directory > default
//
// ramet.json is one object from setting names to texts or numbers; its paths are relative to its directory.
// Errors: usage (option, environment), invalid_value and surplus (ramet.json).
#pragma once

#include "console.h"
#include "options.h"

#include <ramet/inspect.h>
#include <ramet/types.h>

#include <filesystem>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ramet::cli {

struct SettingValues {
  std::string embodiment;   // empty: the only one
  std::string data_config;  // empty: the only one that fits
  ExecutorKind executor = ExecutorKind::tuned;
  std::string precision = "bf16";
  std::string isa;  // empty: the best
  int threads = 0;  // 0: physical cores
  std::filesystem::path backbone, tokenizer;
  std::optional<std::filesystem::path> cache;  // none: the user's cache directory; empty: weights are not kept
  int steps = 0;                               // 0: from the checkpoint
  bool reuse_backbone = false;
  uint64_t seed = 0;
  std::map<std::string, std::string> quirks;
};

std::vector<std::string> setting_names();

class Settings {
 public:
  // The settings that a command takes as options.
  explicit Settings(std::initializer_list<std::string_view> names);

  void declare(Options& options);
  Status give(std::string_view name, Given given);          // what declare() does for a word of the command line
  void leave_out_cache() { no_cache_ = true; }              // what declare() does for --no-cache
  Status resolve(const std::filesystem::path& checkpoint);  // a directory or a file in it; may be empty

  const SettingValues& values() const { return values_; }
  const std::vector<Setting>& sources() const { return sources_; }  // name, value, where the value is from
  // Robot and data configuration of an observation file stand between the environment and ramet.json.
  void take_robot(const ObservationFiles& files, const std::filesystem::path& file);
  EngineOptions engine() const;
  EngineOptions engine(Console& console) const;  // tells the console how far its work is

 private:
  void take(std::string_view name, const std::string& text, std::string& value, const std::filesystem::path& file);

  std::vector<std::string> names_;
  bool no_cache_ = false;
  std::map<std::string, Given, std::less<>> options_;
  SettingValues values_;
  std::vector<Setting> sources_;
};

}  // namespace ramet::cli
