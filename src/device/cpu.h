// What is known of the processor.
#pragma once

#include <filesystem>
#include <span>

namespace ramet {

// Cores that this process may run on; the hardware threads of one core count once. At least 1.
int physical_cores();

// The same for the given processors, from a folder laid out like /sys/devices/system/cpu: processors that name the same
// siblings share a core, one that names none is a core of its own.
int count_cores(std::span<const int> cpus, const std::filesystem::path& topology);

}  // namespace ramet
