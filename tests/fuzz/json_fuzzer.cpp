// Any bytes as each JSON file of a checkpoint; what parses becomes a robot.
#include "policy/gr00t_n15/config.h"
#include "policy/gr00t_n15/robot.h"
#include "policy/robot/lerobot_pipeline.h"
#include "policy/robot/robot.h"

#include <cstdint>

namespace {

using namespace ramet;

// One input may hold both files, so that names can meet: statistics under "statistics", else the same object.
void make_robots(const Json& root) {
  static_cast<void>(parse_gr00t_n17_config(root));
  static_cast<void>(parse_embodiment_ids(root));
  RobotFiles files;
  files.embodiments = builtin_embodiment_ids();
  const auto inner = root.at("statistics");
  if (auto statistics = Statistics::parse(inner ? *inner : root)) files.statistics = std::move(*statistics);
  if (auto processor = parse_processor_config(root)) files.processor = std::move(*processor);
  if (!files.statistics || !files.processor) return;
  for (const std::string& tag : files.processor->tags()) static_cast<void>(make_robot(files, tag));
}

// Metadata beside a data configuration under "data_config".
void make_n15_robots(const Json& root) {
  static_cast<void>(parse_gr00t_n15_config(root));
  const auto metadata = MetadataFile::parse(root);
  const auto inner = root.at("data_config");
  const auto data_config = parse_data_config(inner ? *inner : root, "fuzz");
  if (!metadata || !data_config) return;
  for (const std::string& tag : metadata->tags())
    if (const auto robot = metadata->find(tag)) static_cast<void>(N15Robot::make(*robot, *data_config, {}));
}

void read_pipeline(const Json& root) {
  static_cast<void>(camera_features(root, "observation.image"));
  if (const auto steps = read_steps(root)) static_cast<void>(refuse_relative_actions(*steps));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto file = JsonFile::parse({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (!file) return 0;
  make_robots(file->root());
  make_n15_robots(file->root());
  read_pipeline(file->root());
  return 0;
}
