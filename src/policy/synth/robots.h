// Robots of synthetic GR00T N1.7 checkpoints: the published modality configurations, statistics made up.
// Source: spec gr00t-n1.7, section 8.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace ramet {

nlohmann::json synth_modality_configs();  // processor_kwargs.modality_configs
nlohmann::json synth_statistics();        // statistics.json
nlohmann::json synth_embodiment_ids();    // embodiment_id.json

}  // namespace ramet
