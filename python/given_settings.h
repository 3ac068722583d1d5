// Settings of a Python object, by the rules of the program:
//
//   argument > environment RAMET_NAME > ramet.json in the checkpoint directory > default
#pragma once

#include "bindings.h"

#include "cli/settings.h"

#include <initializer_list>
#include <string_view>

namespace ramet::python {

// Raises for an unknown RAMET_* variable and for a value that does not fit, and names its source.
cli::Settings resolve(std::initializer_list<std::string_view> names, const std::string& directory,
                      const GivenSettings& given);

// data_dir: the vocabulary that comes with the package. Log lines go to the logger "ramet".
EngineOptions engine_options(const cli::Settings& settings, const std::string& data_dir);

}  // namespace ramet::python
