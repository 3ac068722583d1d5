#include "weights/checkpoint_index.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <utility>

namespace ramet {
namespace {

constexpr double kMaxTotal = 9007199254740992.0;  // 2^53: every integer below is exact in a double

Status check_file_name(const Json& json, const std::string& file) {
  if (file.find_first_of(std::string_view("/\\\0", 3)) == std::string::npos && file.ends_with(".safetensors"))
    return {};
  return fail(Code::invalid_file, json.where(), "the plain name of a .safetensors file in the same folder", file);
}

Result<std::map<std::string, std::string>> read_weight_map(const Json& map) {
  RAMET_TRY(const auto items, map.items());
  std::map<std::string, std::string> file_of;
  for (const auto& [tensor, json] : items) {
    RAMET_TRY(std::string file, json.as<std::string>());
    RAMET_TRY_STATUS(check_file_name(json, file));
    file_of.emplace(tensor, std::move(file));
  }
  if (file_of.empty()) return fail(Code::invalid_file, map.where(), "at least one tensor", "none");
  return file_of;
}

// Some writers put the total as 6910361856.0, so it is read as a number and not as an integer.
Result<std::optional<uint64_t>> read_total(const Json& root) {
  if (!root.has("metadata")) return std::nullopt;
  RAMET_TRY(const Json metadata, root.at("metadata"));
  if (!metadata.has("total_size")) return std::nullopt;
  RAMET_TRY(const double total, metadata.get<double>("total_size"));
  if (total < 0 || total > kMaxTotal || total != static_cast<double>(static_cast<uint64_t>(total)))
    return fail(Code::invalid_file, metadata.where() + ".total_size", "a number of bytes", fmt::format("{}", total));
  return static_cast<uint64_t>(total);
}

Error as_invalid_file(Error error) {
  if (error.code == Code::invalid_value || error.code == Code::not_found) error.code = Code::invalid_file;
  return error;
}

Result<CheckpointIndex> read_index(const Json& root) {
  CheckpointIndex index;
  RAMET_TRY(const Json map, root.at("weight_map"));
  RAMET_TRY(index.file_of, read_weight_map(map));
  RAMET_TRY(index.total_bytes, read_total(root));
  return index;
}

}  // namespace

std::vector<std::string> CheckpointIndex::files() const {
  std::set<std::string> unique;
  for (const auto& [tensor, file] : file_of) unique.insert(file);
  return {unique.begin(), unique.end()};
}

Result<CheckpointIndex> read_checkpoint_index(const Json& root) { return read_index(root).map_error(as_invalid_file); }

std::string to_json(const CheckpointIndex& index) {
  nlohmann::json json{{"metadata", nlohmann::json::object()}, {"weight_map", index.file_of}};
  if (index.total_bytes) json["metadata"]["total_size"] = *index.total_bytes;
  return json.dump(2) + "\n";
}

}  // namespace ramet
