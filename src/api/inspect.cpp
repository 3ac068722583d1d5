#include <ramet/inspect.h>

#include "api/guard.h"
#include "policy/inspection.h"

namespace ramet {

Result<Inspection> inspect(const std::filesystem::path& directory, const EngineOptions& options) {
  return guarded([&] { return inspect_directory(directory, options); });
}

}  // namespace ramet
