#include "policy/gr00t_n15/metadata.h"

#include "policy/robot/checked_json.h"
#include "policy/robot/embodiment.h"

#include <fmt/format.h>

#include <array>

namespace ramet {
namespace {

struct Slot {
  std::string_view name;
  int64_t slot;
};
constexpr std::array kSlots{Slot{"gr1", 24}, Slot{"oxe_droid", 17}, Slot{"agibot_genie1", 26},
                            Slot{"new_embodiment", 31}};

Result<int64_t> slot_of(const Json& node) {
  RAMET_TRY(const std::string name, node.as<std::string>());
  for (const Slot& slot : kSlots)
    if (slot.name == name) return slot.slot;
  return fail(Code::invalid_value, node.where(), "gr1, oxe_droid, agibot_genie1 or new_embodiment", name,
              name == "agibot" ? "an early snapshot? the released name is agibot_genie1" : "");
}

Result<std::optional<ImageSize>> parse_view(const Json& node) {
  RAMET_TRY(const Json resolution, node.at("resolution"));
  RAMET_TRY(const std::vector<Json> sides, resolution.elements());
  if (sides.size() != 2)
    return fail(Code::invalid_file, resolution.where(), "[width, height]", fmt::format("{} numbers", sides.size()));
  const IntRange range{1, Image::kMaxSide};
  RAMET_TRY(const int64_t width, int_in_range(sides[0], range));
  RAMET_TRY(const int64_t height, int_in_range(sides[1], range));
  return ImageSize{.height = height, .width = width};
}

Result<int64_t> parse_dims(const Json& shape) {
  RAMET_TRY(const std::vector<Json> dims, shape.elements());
  if (dims.size() != 1)
    return fail(Code::invalid_file, shape.where(), "one dimension", fmt::format("{} dimensions", dims.size()));
  return int_in_range(dims[0], {1, 4096});
}

Result<KeyMetadata> parse_key(const Json& node) {
  KeyMetadata key{.where = node.where(), .rotation = {}};
  RAMET_TRY(key.absolute, node.get_or<bool>("absolute", true));
  RAMET_TRY(key.continuous, node.get_or<bool>("continuous", true));
  RAMET_TRY(const Json shape, node.at("shape"));
  RAMET_TRY(key.dims, parse_dims(shape));
  if (!node.has("rotation_type")) return key;
  RAMET_TRY(const std::string name, node.get<std::string>("rotation_type"));
  RAMET_TRY(key.rotation, parse_rotation_format(name, place(node, "rotation_type")));
  if (key.rotation->width() == key.dims) return key;
  return fail(Code::invalid_file, place(node, "shape"), fmt::format("[{}] for {}", key.rotation->width(), name),
              fmt::format("[{}]", key.dims));
}

template <class T>
Status parse_group(const Json& modalities, std::string_view group, Result<T> (*parse)(const Json&),
                   std::map<std::string, T>& values) {
  if (!modalities.has(group)) return {};
  RAMET_TRY(const Json node, modalities.at(group));
  RAMET_TRY(const auto items, node.items());
  for (const auto& [key, value] : items) {
    RAMET_TRY(values[key], parse(value));
  }
  return {};
}

Result<RobotMetadata> parse_robot(const std::string& tag, const Json& node) {
  RobotMetadata robot{.where = node.where(), .tag = tag};
  RAMET_TRY(const Json name, node.at("embodiment_tag"));
  RAMET_TRY(robot.slot, slot_of(name));
  RAMET_TRY(const Json modalities, node.at("modalities"));
  RAMET_TRY_STATUS(parse_group(modalities, "video", parse_view, robot.video));
  RAMET_TRY_STATUS(parse_group(modalities, "state", parse_key, robot.state));
  RAMET_TRY_STATUS(parse_group(modalities, "action", parse_key, robot.action));
  RAMET_TRY(const Json statistics, node.at("statistics"));
  RAMET_TRY(robot.statistics, Statistics::parse_robot(tag, statistics));
  return robot;
}

}  // namespace

MetadataFile::MetadataFile(RobotMetadata robot) {
  std::string tag = robot.tag;
  robots_.emplace(std::move(tag), std::move(robot));
}

Result<MetadataFile> MetadataFile::load(const std::filesystem::path& path) {
  RAMET_TRY(const JsonFile file, JsonFile::load(path));
  return parse(file.root());
}

Result<MetadataFile> MetadataFile::parse(const Json& root) {
  MetadataFile metadata;
  RAMET_TRY(const auto items, root.items());
  for (const auto& [tag, node] : items) metadata.robots_.emplace(tag, parse_robot(tag, node));
  return metadata;
}

std::vector<std::string> MetadataFile::tags() const {
  std::vector<std::string> tags;
  for (const auto& entry : robots_) tags.push_back(entry.first);
  return tags;
}

Result<RobotMetadata> MetadataFile::find(const std::string& tag) const {
  RAMET_TRY(const std::string chosen, resolve_tag(tag, tags()));
  return robots_.at(chosen);
}

}  // namespace ramet
