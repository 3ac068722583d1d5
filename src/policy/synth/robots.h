// Robots of synthetic GR00T checkpoints: the published modality configurations, statistics made up.
// Source: spec gr00t-n1.7, section 8; spec gr00t-n1.6, section 7.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace ramet {

enum class SynthRobots { n16, n17 };

nlohmann::json synth_modality_configs(SynthRobots which);  // processor_kwargs.modality_configs
nlohmann::json synth_statistics(SynthRobots which);        // statistics.json
nlohmann::json synth_embodiment_ids(SynthRobots which);    // embodiment_id.json

}  // namespace ramet
