// Any bytes as each JSON file of a checkpoint; what parses becomes a robot.
#include "policy/robot/robot.h"

#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace ramet;
  const auto file = JsonFile::parse({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (!file) return 0;
  const Json root = file->root();
  static_cast<void>(parse_gr00t_n17_config(root));
  static_cast<void>(parse_embodiment_ids(root));
  RobotFiles files;
  files.embodiments = builtin_embodiment_ids();
  // One input may hold both files, so that names can meet: statistics under "statistics", else the same object.
  const auto inner = root.at("statistics");
  if (auto statistics = Statistics::parse(inner ? *inner : root)) files.statistics = std::move(*statistics);
  if (auto processor = parse_processor_config(root)) files.processor = std::move(*processor);
  if (!files.statistics || !files.processor) return 0;
  for (const std::string& tag : files.processor->tags()) static_cast<void>(make_robot(files, tag));
  return 0;
}
