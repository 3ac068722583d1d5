#include "policy/recipe.h"

#include "base/json.h"
#include "policy/gr00t_n15_recipe.h"
#include "policy/gr00t_n16_recipe.h"
#include "policy/gr00t_n17_recipe.h"
#include "weights/checkpoint_kind.h"

#include <array>
#include <vector>

namespace ramet {
namespace {

// config.json names the model: NVIDIA's by "model_type", LeRobot's by "type": "groot".
Result<std::string> model_type(const std::filesystem::path& directory) {
  RAMET_TRY(const JsonFile file, JsonFile::load(directory / "config.json"));
  if (file.root().has("model_type")) return file.root().get<std::string>("model_type");
  return file.root().get<std::string>("type");
}

struct Version {
  std::string_view model_type;
  CheckpointKind kind;
  Result<std::unique_ptr<Recipe>> (*open)(const std::filesystem::path&, const PolicyOptions&);
};
constexpr std::array kVersions{Version{"gr00t_n1_5", CheckpointKind::groot_n15, &Gr00tN15Recipe::open},
                               Version{"Gr00tN1d6", CheckpointKind::groot_n16, &Gr00tN16Recipe::open},
                               Version{"Gr00tN1d7", CheckpointKind::groot_n17, &Gr00tN17Recipe::open},
                               Version{"groot", CheckpointKind::groot_n15, &Gr00tN15Recipe::open},
                               Version{"groot", CheckpointKind::groot_n17, &Gr00tN17Recipe::open}};

// Where config.json leaves several versions, the weights tell which. A config.json beside the weights of another
// version is an error; what cannot be told here is told by the recipe.
Result<const Version*> find_version(const std::string& type, const std::filesystem::path& path) {
  std::vector<const Version*> named;
  for (const Version& version : kVersions)
    if (version.model_type == type) named.push_back(&version);
  if (named.empty())
    return fail(Code::unsupported, (checkpoint_directory(path) / "config.json").string() + ": model_type",
                "gr00t_n1_5, Gr00tN1d6, Gr00tN1d7, or LeRobot's type groot", type,
                "`ramet encode` opens vision towers of Qwen3-VL models");
  const auto checkpoint = Checkpoint::open(path);
  const CheckpointGuess found = checkpoint ? guess(*checkpoint) : CheckpointGuess{};
  for (const Version* version : named)
    if (version->kind == found.kind) return version;
  if (named.size() == 1 && found.kind == CheckpointKind::unknown) return named.front();
  if (!checkpoint) return tl::unexpected(checkpoint.error());
  return fail(Code::unsupported, path.string(), "weights of a version that config.json names, " + type,
              found.description(),
              "config.json and weights belong to different versions, or Ramet does not open this "
              "version in this layout");
}

Status check_data_config(const Version& version, const PolicyOptions& options) {
  if (options.data_config.empty() || version.kind == CheckpointKind::groot_n15) return {};
  return fail(Code::usage, "data_config", "none: only GR00T N1.5 has data configurations", options.data_config,
              "processor_config.json describes the robots of this checkpoint");
}

}  // namespace

std::filesystem::path checkpoint_directory(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) ? path.parent_path() : path;
}

Result<std::unique_ptr<Recipe>> open_recipe(const std::filesystem::path& path, const PolicyOptions& options) {
  const std::filesystem::path directory = checkpoint_directory(path);
  RAMET_TRY(const std::string type, model_type(directory));
  RAMET_TRY(const Version* version, find_version(type, path));
  RAMET_TRY_STATUS(check_data_config(*version, options));
  return version->open(path, options);
}

}  // namespace ramet
