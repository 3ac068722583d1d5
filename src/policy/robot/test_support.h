// Shared by the tests of this folder.
#pragma once

#include <ramet/types.h>

namespace ramet::test {

// As many empty pictures as the file names frames: what the checks of an observation look at.
inline Observation without_pictures(const ObservationFiles& files) {
  Observation observation{files.name, {}, files.state, files.language};
  for (const auto& [camera, frames] : files.video) observation.video[camera].resize(frames.size());
  return observation;
}

}  // namespace ramet::test
