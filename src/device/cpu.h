// What is known of the processor.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>

namespace ramet {

// Cores that this process may run on; the hardware threads of one core count once, and no more than its control groups
// grant it time for. At least 1.
int physical_cores();

// The same for the given processors, from a folder laid out like /sys/devices/system/cpu: processors that name the same
// siblings share a core, one that names none is a core of its own.
int count_cores(std::span<const int> cpus, const std::filesystem::path& topology);

// Processors' worth of time, rounded up, that the cgroup-v2 group `group` ("/a/b") and those above it may use: the
// least QUOTA / PERIOD of their cpu.max under `mount`. Empty where none limits it.
std::optional<int> cpu_quota(const std::filesystem::path& mount, const std::filesystem::path& group);

// What the processor calls itself, "AMD EPYC 7763 64-Core Processor"; "unknown" where it does not say.
std::string cpu_model();

}  // namespace ramet
