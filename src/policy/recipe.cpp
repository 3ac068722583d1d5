#include "policy/recipe.h"

#include "base/json.h"
#include "policy/gr00t_n16_recipe.h"
#include "policy/gr00t_n17_recipe.h"

namespace ramet {
namespace {

// config.json names the model: NVIDIA's by "model_type", LeRobot's by "type":
// "groot".
Result<std::string> model_type(const std::filesystem::path& directory) {
  RAMET_TRY(const JsonFile file, JsonFile::load(directory / "config.json"));
  if (file.root().has("model_type")) return file.root().get<std::string>("model_type");
  return file.root().get<std::string>("type");
}

}  // namespace

Result<std::unique_ptr<Recipe>> open_recipe(const std::filesystem::path& directory, const PolicyOptions& options) {
  RAMET_TRY(const std::string type, model_type(directory));
  if (type == "Gr00tN1d6") return Gr00tN16Recipe::open(directory, options);
  if (type == "Gr00tN1d7" || type == "groot") return Gr00tN17Recipe::open(directory, options);
  return fail(Code::unsupported, (directory / "config.json").string() + ": model_type",
              "Gr00tN1d6, Gr00tN1d7, or LeRobot's type groot", type,
              "`ramet encode` opens vision towers of Qwen3-VL models");
}

}  // namespace ramet
