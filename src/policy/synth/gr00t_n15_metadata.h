// experiment_cfg/metadata.json of synthetic GR00T N1.5 checkpoints: the three released robots, statistics made up.
// Source: spec gr00t-n1.5, sections 9 to 11.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace ramet {

nlohmann::json synth_n15_metadata();

}  // namespace ramet
