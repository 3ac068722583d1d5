// Synthetic GR00T N1.6 directories: model of the released or a tiny size, four robots with made-up statistics.
#pragma once

#include "policy/synth/layouts.h"

namespace ramet {

SynthLayout gr00t_n16_layout(SynthSize size);

}  // namespace ramet
