#include "build_info.h"

#include "device/isa.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <ramet/version.h>
#include <sys/resource.h>

#include <nlohmann/json.hpp>

namespace ramet::cli {
namespace {

std::string compiler() {
#if defined(__clang__)
  return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  return fmt::format("gcc {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

}  // namespace

std::vector<std::string> compiled_isas() {
  std::vector<std::string> names;
  for (auto isa = kIsas.rbegin(); isa != kIsas.rend(); ++isa) names.emplace_back(name(*isa));
  return names;
}

std::string chosen_isa() { return std::string(name(cpu_features().best())); }

std::string version_text() {
  return fmt::format(
      "ramet {}\nbuild type        {}\ncompiler          {}\ninstruction sets  {}\nchosen            {}\n", kVersion,
      RAMET_BUILD_TYPE, compiler(), fmt::join(compiled_isas(), ", "), chosen_isa());
}

nlohmann::ordered_json version_document() {
  return {{"version", kVersion},
          {"build_type", RAMET_BUILD_TYPE},
          {"compiler", compiler()},
          {"isas", compiled_isas()},
          {"isa", chosen_isa()}};
}

int64_t peak_rss_bytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return int64_t{usage.ru_maxrss} * 1024;
}

}  // namespace ramet::cli
