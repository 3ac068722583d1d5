// The result of `ramet verify` for people and for scripts.
#pragma once

#include "tap_comparison.h"

#include <ramet/error.h>

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>

namespace ramet::cli {

struct TapReport {
  std::string against;
  double gate = 0;
  std::vector<TapVerdict> verdicts;  // in the order of the pipeline, missing taps last

  int64_t failed() const;
  int64_t passed() const { return static_cast<int64_t>(verdicts.size()) - failed(); }
  const TapVerdict* first_failure() const;  // nullptr when all hold
  std::optional<Error> error() const;       // check_failed, naming the first failure
};

nlohmann::ordered_json to_json(const TapReport& report);
std::string to_text(const TapReport& report);

}  // namespace ramet::cli
