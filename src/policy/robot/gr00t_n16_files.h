// The files of a GR00T N1.6 checkpoint that describe model and robots: config.json, processor_config.json,
// statistics.json and, optional, embodiment_id.json, all in the root. Its folder processor/ holds copies.
// Source: spec gr00t-n1.6, section 2.1.
#pragma once

#include "policy/robot/gr00t_n16_config.h"
#include "policy/robot/robot.h"

#include <filesystem>
#include <optional>
#include <vector>

namespace ramet {

struct Gr00tN16Files {
  Gr00tN16Config model;
  std::optional<ProcessorConfig> processor;
  std::optional<Statistics> statistics;
  EmbodimentIds embodiments;
  std::vector<std::filesystem::path> missing;
};

// What is there is checked; what is missing is listed. Errors: those of the files; config.json itself must exist.
Result<Gr00tN16Files> load_gr00t_n16_files(const std::filesystem::path& directory);

// Errors: not_found, for an incomplete directory; those of the parts.
Result<Robot> make_robot(const Gr00tN16Files& files, std::string_view name);

}  // namespace ramet
