// Help with misspelt names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ramet {

// "did you mean A, B?" with the names at the smallest edit distance, else "known: A, B, ..." (at most ten).
std::string nearest_hint(std::string_view name, const std::vector<std::string>& known);

// "A, B, C and 4 more"
std::string list_names(const std::vector<std::string>& names, size_t limit = 10);

}  // namespace ramet
