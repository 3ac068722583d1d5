// What a directory of GR00T N1.5 says beside its weights, in either layout.
//
//   NVIDIA    config.json, experiment_cfg/metadata.json (several robots; the user names the data configuration)
//   LeRobot   config.json ("type": "groot", no sizes), policy_preprocessor.json, policy_postprocessor.json and the
//             tensors of their steps (one robot, which needs no data configuration)
//
//              picture                                                instruction     where there is none
//   NVIDIA     of the robot's size, centre 95 %, bilinear to 224     as it is        Perform the default behavior.
//   LeRobot    of any size, whole, bicubic to 224                    may be          ['Perform the task.'], also
//                                                                    formalised      where it is empty
//
// Errors: not_found, invalid_file, invalid_value, shape_mismatch, not_finite, unsupported, with file and key.
// Source: spec gr00t-n1.5, sections 2.1, 2.4, 5.2 and 5.4.
#pragma once

#include "policy/gr00t_n15/config.h"
#include "policy/gr00t_n15/frame_transform.h"
#include "policy/gr00t_n15/prompt.h"
#include "policy/gr00t_n15/robot.h"

#include <ramet/error.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ramet {

struct N15Preprocessing {
  Result<Image> (*frame)(const Image&) = &siglip_frame;
  std::string_view default_instruction = "Perform the default behavior.";
  bool default_is_plain = true;     // and not in the form of the other instructions
  bool empty_is_none = false;       // an empty instruction means the default one
  bool formalize_language = false;  // lower case, letters, numbers and blanks alone
};

struct N15Files {
  std::string container_prefix;  // of the tensors' names
  MetadataFile robots;
  std::optional<DataConfig> data_config;  // the one that the files themselves describe
  N15Preprocessing preprocessing;

  // `data_config` as in choose_data_config. Errors: those of MetadataFile, choose_data_config and N15Robot; usage (a
  // data configuration for files that describe their own).
  Result<N15Robot> robot(const std::string& tag, const std::string& data_config, const N15Widths& widths) const;
};

// config.json; nullopt in LeRobot's layout, where the tensors tell.
Result<std::optional<Gr00tN15Config>> load_n15_config(const std::filesystem::path& directory);

Result<N15Files> load_n15_files(const std::filesystem::path& directory);

// The tensors' names, which begin with `stored_prefix` or have none, must be of the layout of the files. Errors:
// invalid_file.
Status check_n15_layout(const N15Files& files, std::string_view stored_prefix, const std::filesystem::path& directory);

// Files that the layout asks for and that are not there.
std::vector<std::filesystem::path> missing_n15_files(const std::filesystem::path& directory);

}  // namespace ramet
