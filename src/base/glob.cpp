#include "base/glob.h"

#include <fnmatch.h>

#include <algorithm>

namespace ramet {

bool matches_any(const std::vector<std::string>& globs, const std::string& name) {
  return std::any_of(globs.begin(), globs.end(),
                     [&](const std::string& glob) { return ::fnmatch(glob.c_str(), name.c_str(), 0) == 0; });
}

}  // namespace ramet
