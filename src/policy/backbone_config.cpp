#include "policy/backbone_config.h"

#include "base/is_there.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace ramet {
namespace {

namespace fs = std::filesystem;

bool has_config(const fs::path& directory) {
  std::error_code error;
  return fs::is_regular_file(directory / "config.json", error);
}

Result<BackboneConfig> load(const fs::path& directory) {
  RAMET_TRY(const JsonFile file, JsonFile::load(directory / "config.json"));
  RAMET_TRY(Qwen3VlConfig config, parse_qwen3_vl_config(file.root()));
  return BackboneConfig{std::move(config), directory, file.name()};
}

// HUB/models--nvidia--Cosmos-Reason2-2B/snapshots/REVISION: the first revision that holds a config.
std::vector<fs::path> snapshots(const fs::path& hub_cache, std::string model_name) {
  const size_t slash = model_name.find('/');
  if (slash != std::string::npos) model_name.replace(slash, 1, "--");
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator it(hub_cache / ("models--" + model_name) / "snapshots", error), end; !error && it != end;
       it.increment(error))
    if (has_config(it->path())) found.push_back(it->path());
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

Result<BackboneConfig> find_backbone_config(const BackboneSearch& search) {
  if (!search.chosen.empty()) return load(search.chosen);
  const fs::path beside = search.checkpoint / "backbone";
  if (is_there(beside / "config.json")) return load(beside);
  const std::vector<fs::path> cached =
      search.hub_cache.empty() ? std::vector<fs::path>{} : snapshots(search.hub_cache, search.model_name);
  if (!cached.empty()) return load(cached.front());
  if (const auto published = published_qwen3_vl_config(search.model_name))
    return BackboneConfig{*published, {}, "built-in table: " + search.model_name};
  return fail(Code::not_found, "backbone " + search.model_name, "its config.json",
              fmt::format("none in {} or {}", beside.string(),
                          search.hub_cache.empty() ? "a Hugging Face cache" : search.hub_cache.string()),
              "pass --backbone DIR");
}

}  // namespace ramet
