// The robot's state as the caller measures it: per key [history][dims] in physical units, oldest row first.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace ramet {

using StateRows = std::vector<std::vector<float>>;
using RawState = std::map<std::string, StateRows>;

}  // namespace ramet
