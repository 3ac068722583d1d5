// The cgroup-v2 groups of the process, which limit what it may take of the machine.
#pragma once

#include <filesystem>
#include <functional>

namespace ramet {

inline const std::filesystem::path kControlGroups = "/sys/fs/cgroup";

// "/a/b", from the line "0::/a/b" of /proc/self/cgroup; "/" where there is none.
std::filesystem::path own_control_group();

// Calls visit(folder) for the groups of "/a/b" under `mount`, the outermost first.
void for_each_group(const std::filesystem::path& mount, const std::filesystem::path& group,
                    const std::function<void(const std::filesystem::path& folder)>& visit);

}  // namespace ramet
