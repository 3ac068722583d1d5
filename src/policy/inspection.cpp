#include "policy/inspection.h"

#include "base/json.h"
#include "models/qwen3_vl.h"
#include "policy/gr00t_n15_inspection.h"
#include "policy/gr00t_n16_inspection.h"
#include "policy/gr00t_n17_inspection.h"
#include "policy/quirks.h"
#include "weights/checkpoint_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace ramet {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> list_files(const fs::path& directory) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error))
    if (it->is_regular_file(error)) files.push_back(it->path().filename().string());
  std::sort(files.begin(), files.end());
  return files;
}

TensorInfo describe(const CheckpointTensor& tensor, std::string category) {
  const auto dims = tensor.entry->shape.dims();
  return {.name = tensor.name,
          .dtype = tensor.entry->dtype_name,
          .file = fs::path(tensor.file->name()).filename().string(),
          .category = std::move(category),
          .shape = {dims.begin(), dims.end()},
          .bytes = static_cast<int64_t>(tensor.entry->bytes.size())};
}

void add_to_category(std::map<std::string, CategoryInfo>& categories, const TensorInfo& tensor, int64_t parameters) {
  CategoryInfo& category = categories[tensor.category];
  category.category = tensor.category;
  ++category.tensors;
  category.parameters += parameters;
  category.bytes += tensor.bytes;
}

std::map<std::string_view, std::string> categories_by_tensor(const WeightClaims& claims) {
  std::map<std::string_view, std::string> result;
  for (const WeightClaims::Wish& wish : claims.wishes()) result[wish.name] = name(wish.category);
  for (const IgnoredTensor& ignored : claims.ignored()) result[ignored.name] = name(Category::skipped);
  return result;
}

void describe_sizes(const Qwen3VlConfig& config, Inspection& inspection) {
  const auto add = [&](const char* key, int64_t value) {
    inspection.settings.push_back({key, fmt::format("{}", value), "config.json"});
  };
  add("vision_config.depth", config.vision.depth);
  add("vision_config.hidden_size", config.vision.hidden_size);
  add("vision_config.num_heads", config.vision.num_heads);
  add("vision_config.out_hidden_size", config.vision.out_hidden_size);
  if (config.text) add("text_config.num_hidden_layers", config.text->num_hidden_layers);
}

// A Qwen directory; of its text stack only what Ramet has a model for is claimed.
Status inspect_qwen(const fs::path& directory, const CheckpointGuess& found, const Checkpoint& checkpoint,
                    Inspection& inspection) {
  RAMET_TRY(const JsonFile file, JsonFile::load(directory / "config.json"));
  RAMET_TRY(const Qwen3VlConfig config, parse_qwen3_vl_config(file.root()));
  describe_sizes(config, inspection);
  std::string prefix = found.tower_prefix;
  if (prefix.ends_with('.')) prefix.pop_back();
  WeightClaims claims(checkpoint);
  const WeightScope scope(claims, prefix, Category::vision);
  if (scope.count("blocks") == config.vision.depth) QwenVisionTower(scope, config.vision);
  claims.ignore_outside(found.tower_prefix, "no part of the tower");
  describe_weights(claims, inspection);
  return claims.finish();
}

Status inspect_version(const fs::path& directory, const EngineOptions& options, const Checkpoint& checkpoint,
                       const CheckpointGuess& found, Inspection& inspection) {
  switch (found.kind) {
    case CheckpointKind::groot_n15: return inspect_gr00t_n15(directory, checkpoint, inspection);
    case CheckpointKind::groot_n16: return inspect_gr00t_n16(directory, checkpoint, inspection);
    case CheckpointKind::groot_n17: return inspect_gr00t_n17(directory, options, checkpoint, inspection);
    default: return inspect_qwen(directory, found, checkpoint, inspection);
  }
}

}  // namespace

void describe_weights(const WeightClaims& claims, Inspection& inspection) {
  const auto category_of = categories_by_tensor(claims);
  std::map<std::string, CategoryInfo> categories;
  int64_t parameters = 0;
  for (const CheckpointTensor& tensor : claims.checkpoint().tensors()) {
    const auto it = category_of.find(tensor.name);
    inspection.tensors.push_back(describe(tensor, it == category_of.end() ? "surplus" : it->second));
    if (it == category_of.end()) inspection.surplus.push_back(tensor.where());
    const int64_t elements = tensor.entry->shape.elements();
    add_to_category(categories, inspection.tensors.back(), elements);
    if (it != category_of.end() && it->second != name(Category::skipped)) parameters += elements;
  }
  for (auto& [key, category] : categories) inspection.categories.push_back(std::move(category));
  inspection.weight_bytes = static_cast<int64_t>(claims.checkpoint().bytes());
  inspection.bytes_by_mode = {{"mapped as stored", inspection.weight_bytes},
                              {"used weights as bf16", 2 * parameters},
                              {"used weights as float32", 4 * parameters}};
}

Result<Inspection> inspect_directory(const fs::path& path, const EngineOptions& options) {
  Inspection inspection;
  RAMET_TRY(Checkpoint checkpoint, Checkpoint::open(path));
  const CheckpointGuess found = guess(checkpoint);
  RAMET_TRY([[maybe_unused]] const Quirks quirks, parse_quirks(options.quirks, found.kind));
  if (!found.container_prefix.empty()) {
    RAMET_TRY(checkpoint, Checkpoint::open(path, found.container_prefix));
  }
  const fs::path directory = checkpoint.directory();
  inspection.files = list_files(directory);
  inspection.quirks = list_quirks(options.quirks, found.kind);
  inspection.layout = found.container_prefix.empty() ? "published" : "lerobot";
  inspection.version = found.description();
  const Status status = inspect_version(directory, options, checkpoint, found, inspection);
  if (!status) inspection.problems.push_back(status.error().message());
  return inspection;
}

}  // namespace ramet
