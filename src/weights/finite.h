// Looking for weights that are no numbers, after a result turned out to be none.
#pragma once

#include "weights/checkpoint.h"

#include <string>

namespace ramet {

// "FILE: TENSOR: nan at element 17" for the first NaN or infinity of a BF16, F16 or F32 tensor; empty: all are finite.
// Reads every byte of the checkpoint.
std::string find_not_finite(const Checkpoint& checkpoint);

}  // namespace ramet
