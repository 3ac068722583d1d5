// Shell patterns over dotted names: `*` any run of characters, `?` one, `[...]` a set.
#pragma once

#include <string>
#include <vector>

namespace ramet {

bool matches_any(const std::vector<std::string>& globs, const std::string& name);

}  // namespace ramet
