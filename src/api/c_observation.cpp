#include "api/c_observation.h"

using namespace ramet;

ramet_code ramet_observation_create(ramet_observation** observation) {
  if (observation == nullptr) return RAMET_USAGE;
  *observation = new (std::nothrow) ramet_observation;
  return *observation == nullptr ? RAMET_NO_MEMORY : RAMET_OK;
}

void ramet_observation_close(ramet_observation* observation) { delete observation; }

const ramet_error* ramet_observation_error(const ramet_observation* observation) {
  return observation == nullptr ? error_of_null() : observation->error.get();
}

void ramet_observation_clear(ramet_observation* observation) {
  if (observation == nullptr) return;
  observation->error.clear();
  observation->observation.video.clear();
  observation->observation.state.clear();
  observation->observation.language.clear();
}

ramet_code ramet_observation_add_frame(ramet_observation* observation, const char* camera, ramet_image frame) {
  if (observation == nullptr) return RAMET_USAGE;
  return run(observation->error, [&]() -> Status {
    RAMET_TRY(const std::string key, required_text(camera, "camera"));
    RAMET_TRY(const ImageView image, required_image(frame, "observation: video." + key));
    observation->observation.video[key].push_back(image);
    return {};
  });
}

ramet_code ramet_observation_add_state(ramet_observation* observation, const char* key, const float* values,
                                       size_t dims) {
  if (observation == nullptr) return RAMET_USAGE;
  return run(observation->error, [&]() -> Status {
    RAMET_TRY(const std::string name, required_text(key, "key"));
    RAMET_TRY_STATUS(check_pointer(values, "values"));
    observation->observation.state[name].emplace_back(values, values + dims);
    return {};
  });
}

ramet_code ramet_observation_set_language(ramet_observation* observation, const char* key, const char* text) {
  if (observation == nullptr) return RAMET_USAGE;
  return run(observation->error, [&]() -> Status {
    RAMET_TRY(std::string words, required_text(text, "text"));
    observation->observation.language.insert_or_assign(text_or_empty(key), std::move(words));
    return {};
  });
}
