#include "given_settings.h"

#include "cli/environment.h"

namespace ramet::python {
namespace {

std::string argument_name(std::string setting) {
  for (char& c : setting)
    if (c == '-') c = '_';
  return setting;
}

// `cache` without a text is the program's --no-cache.
Status give(cli::Settings& settings, const std::string& name, const std::string& text) {
  if (name != "cache" || !text.empty()) return settings.give(name, {.text = text, .where = argument_name(name)});
  settings.leave_out_cache();
  return {};
}

Status fill(cli::Settings& settings, const std::string& directory, const GivenSettings& given) {
  RAMET_TRY_STATUS(cli::check_environment());
  for (const auto& [name, text] : given) RAMET_TRY_STATUS(give(settings, name, text));
  return settings.resolve(directory);
}

// To the logger "ramet" of Python. What a handler raises is printed as any exception that nothing can catch.
void log_to_python(std::string_view line) {
  const nb::gil_scoped_acquire acquire;
  try {
    nb::module_::import_("logging").attr("getLogger")("ramet").attr("warning")("%s", nb::str(line.data(), line.size()));
  } catch (nb::python_error& error) {
    error.discard_as_unraisable("ramet");
  }
}

}  // namespace

cli::Settings resolve(std::initializer_list<std::string_view> names, const std::string& directory,
                      const GivenSettings& given) {
  cli::Settings settings(names);
  if (const Status filled = fill(settings, directory, given); !filled) raise(filled.error());
  return settings;
}

EngineOptions engine_options(const cli::Settings& settings, const std::string& data_dir) {
  EngineOptions options = settings.engine();
  options.data_dirs = {data_dir};
  options.log = log_to_python;
  return options;
}

}  // namespace ramet::python
