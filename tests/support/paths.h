// Where test data is: the shared goldens beside the checkout, or the copies kept in the tree.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ramet::test {

inline std::filesystem::path source_dir() { return RAMET_SOURCE_DIR; }

// The folder of one golden case: $RAMET_GOLDENS, ../shared/goldens, then tests/golden/data. Empty when absent
// everywhere.
inline std::optional<std::filesystem::path> golden_dir(const std::string& name) {
  std::vector<std::filesystem::path> roots{source_dir() / "../shared/goldens", source_dir() / "tests/golden/data"};
  if (const char* chosen = std::getenv("RAMET_GOLDENS")) roots.insert(roots.begin(), chosen);
  for (const auto& root : roots)
    if (std::filesystem::exists(root / name)) return root / name;
  return std::nullopt;
}

}  // namespace ramet::test
