// How many threads compute.
#pragma once

#include <filesystem>
#include <span>

namespace ramet {

// As asked, or one for each physical core that this process may run on; at most 1024.
int choose_threads(int asked);

// Cores behind these logical CPUs, by the sibling lists of `sysfs`; a CPU without a list counts as a core.
int count_cores(std::span<const int> cpus, const std::filesystem::path& sysfs);

}  // namespace ramet
