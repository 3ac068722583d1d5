#include "policy/recipe.h"

#include "base/json.h"
#include "policy/gr00t_n15_recipe.h"
#include "policy/gr00t_n16_recipe.h"
#include "policy/gr00t_n17_recipe.h"
#include "weights/checkpoint_kind.h"

#include <algorithm>
#include <array>

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
                               Version{"groot", CheckpointKind::groot_n17, &Gr00tN17Recipe::open}};

// A config.json beside the weights of another version. What cannot be told here is told by the recipe.
Status check_weights(const Version& version, const std::filesystem::path& path) {
  const auto checkpoint = Checkpoint::open(path);
  if (!checkpoint) return {};
  const CheckpointGuess found = guess(*checkpoint);
  if (found.kind == version.kind || found.kind == CheckpointKind::unknown) return {};
  return fail(Code::unsupported, path.string(),
              "weights of the version that config.json names, " + std::string(version.model_type), found.description(),
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
  const auto version = std::ranges::find(kVersions, type, &Version::model_type);
  if (version == kVersions.end())
    return fail(Code::unsupported, (directory / "config.json").string() + ": model_type",
                "gr00t_n1_5, Gr00tN1d6, Gr00tN1d7, or LeRobot's type groot", type,
                "`ramet encode` opens vision towers of Qwen3-VL models");
  RAMET_TRY_STATUS(check_weights(*version, path));
  RAMET_TRY_STATUS(check_data_config(*version, options));
  return version->open(path, options);
}

}  // namespace ramet
