// The environment variables of the program: RAMET_THREADS for the setting "threads", and so on.
#pragma once

#include "parse.h"

#include <optional>
#include <string>
#include <string_view>

namespace ramet::cli {

// Errors: usage, for a variable that starts with RAMET_ and is none of ours.
Status check_environment();

std::string environment_name(std::string_view setting);  // "threads" -> "RAMET_THREADS"
std::optional<Given> from_environment(std::string_view setting);

}  // namespace ramet::cli
