#include <ramet/observation_file.h>

#include "api/guard.h"
#include "policy/robot/observation.h"

namespace ramet {

Result<ObservationFiles> read_observation(const std::filesystem::path& path) {
  return guarded([&] { return load_observation(path); });
}

Result<LoadedObservation> LoadedObservation::load(const ObservationFiles& files) {
  LoadedObservation loaded;
  loaded.observation_ = {.name = files.name, .video = {}, .state = files.state, .language = files.language};
  for (const auto& [camera, paths] : files.video)
    for (const std::filesystem::path& path : paths) {
      RAMET_TRY(RgbImage image, load_image(path));
      loaded.observation_.video[camera].push_back(image.view());  // the pixels stay in place when the image moves
      loaded.images_.push_back(std::move(image));
    }
  return loaded;
}

}  // namespace ramet
