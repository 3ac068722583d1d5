// What `inspect` tells of a GR00T N1.5 directory.
#pragma once

#include "weights/checkpoint.h"

#include <ramet/inspect.h>

namespace ramet {

// Fills in what it can; the first thing that would keep a policy from opening is the error.
Status inspect_gr00t_n15(const std::filesystem::path& directory, const Checkpoint& checkpoint, Inspection& inspection);

}  // namespace ramet
