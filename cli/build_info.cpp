#include "build_info.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <hwy/targets.h>
#include <ramet/version.h>
#include <sys/resource.h>

#include <nlohmann/json.hpp>

namespace ramet::cli {
namespace {

// Highway numbers better instruction sets lower.
std::vector<std::string> target_names(int64_t targets) {
  std::vector<std::string> names;
  for (; targets != 0; targets &= targets - 1) names.emplace_back(hwy::TargetName(targets & -targets));
  return names;
}

std::string compiler() {
#if defined(__clang__)
  return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  return fmt::format("gcc {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

}  // namespace

std::vector<std::string> compiled_isas() { return target_names(HWY_TARGETS); }

std::string chosen_isa() { return target_names(hwy::SupportedTargets() & HWY_TARGETS).front(); }

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
