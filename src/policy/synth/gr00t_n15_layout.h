// Synthetic GR00T N1.5 directories: model of the released or a tiny size, three robots with made-up statistics.
#pragma once

#include "policy/synth/layouts.h"

namespace ramet {

SynthLayout gr00t_n15_layout(SynthSize size);

}  // namespace ramet
