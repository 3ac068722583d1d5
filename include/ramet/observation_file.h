// Observations from files: OBS.json and the pictures it names.
//
//   {
//     "embodiment_tag": "libero_sim",
//     "video": {"image": ["t0.png", "t1.png"]},
//     "state": {"x": [[0.1]], "gripper": [[0.0, 0.0]]},
//     "language": {"annotation.human.task_description": "put the bowl on the plate"}
//   }
//
// The tag may be absent; frames are oldest first, their paths relative to the file; a state is [history][dims];
// the language may be a text alone, which then stands under the key "".
//
//   Result<ObservationFiles> files = read_observation("OBS.json");
//   Result<LoadedObservation> observation = LoadedObservation::load(*files);
//   policy.act(observation->observation());
#pragma once

#include <ramet/image.h>
#include <ramet/types.h>

namespace ramet {

// Errors name file and key: not_found, invalid_file, invalid_value, surplus.
Result<ObservationFiles> read_observation(const std::filesystem::path& path);

// Owns the pictures that its observation points into; moving it keeps them in place.
class LoadedObservation {
 public:
  static Result<LoadedObservation> load(const ObservationFiles& files);
  const Observation& observation() const { return observation_; }

 private:
  std::vector<RgbImage> images_;
  Observation observation_;
};

}  // namespace ramet
