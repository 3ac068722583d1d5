// The built-in data configurations as JSON: {NAME: configuration}, see data_config.h.
#pragma once

#include <string_view>

namespace ramet {

std::string_view data_config_presets_json();

}  // namespace ramet
