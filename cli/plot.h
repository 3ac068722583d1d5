// Decoded actions as a picture: one panel per action key, one line per dimension, over the future steps.
#pragma once

#include "canvas.h"

#include <ramet/policy.h>

#include <filesystem>
#include <string>
#include <vector>

namespace ramet::cli {

// By suffix. Errors: usage.
Result<PlotFormat> plot_format(const std::filesystem::path& path);

Result<std::string> plot(const Actions& actions, PlotFormat format);  // the bytes of the file

// Multiples of 1, 2 or 5 times a power of ten inside [low, high]: about `wanted` of them.
std::vector<double> nice_ticks(double low, double high, int wanted);

}  // namespace ramet::cli
