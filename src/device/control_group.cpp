#include "device/control_group.h"

#include <fstream>
#include <string>

namespace ramet {

std::filesystem::path own_control_group() {
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("0::")) return line.substr(3);
  return "/";
}

void for_each_group(const std::filesystem::path& mount, const std::filesystem::path& group,
                    const std::function<void(const std::filesystem::path& folder)>& visit) {
  std::filesystem::path folder = mount;
  visit(folder);
  for (const auto& name : group.relative_path()) visit(folder /= name);
}

}  // namespace ramet
