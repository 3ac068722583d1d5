// experiment_cfg/metadata.json of GR00T N1.5: what each robot's data looked like.
//
//   {TAG: {"statistics": {"state" | "action": {KEY: {max, min, mean, std, q01, q99}}},
//          "modalities": {"video": {VIEW: {"resolution": [width, height], ...}},
//                         "state" | "action": {KEY: {"absolute", "rotation_type", "shape": [D], "continuous"}}},
//          "embodiment_tag": NAME}}
//
// NAME selects the slot of the encoders and the decoder. What is wrong with one robot is told when that one is asked
// for. Errors: not_found, invalid_file, invalid_value, with file and key. Source: spec gr00t-n1.5, sections 9 and 11.
#pragma once

#include "policy/gr00t_n15/rotation.h"
#include "policy/image/image.h"
#include "policy/robot/statistics.h"

#include <ramet/error.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ramet {

struct KeyMetadata {
  std::string where;
  bool absolute = true;
  std::optional<RotationFormat> rotation;  // what the values are, if they are one rotation
  int64_t dims = 0;
  bool continuous = true;
};

struct RobotMetadata {
  std::string where;  // "metadata.json: gr1"
  std::string tag;
  int64_t slot = 0;
  std::map<std::string, std::optional<ImageSize>> video;  // by view; nullopt: pictures of any size
  std::map<std::string, KeyMetadata> state, action;
  Statistics statistics{""};
};

class MetadataFile {
 public:
  MetadataFile() = default;
  explicit MetadataFile(RobotMetadata robot);  // of another source, which has one robot
  static Result<MetadataFile> load(const std::filesystem::path& path);
  static Result<MetadataFile> parse(const Json& root);

  std::vector<std::string> tags() const;
  // An empty tag means the only one. Errors: usage (which of several?), not_found, and those of the entry.
  Result<RobotMetadata> find(const std::string& tag) const;

 private:
  std::map<std::string, Result<RobotMetadata>> robots_;
};

}  // namespace ramet
