// What every result says about the run that made it.
#pragma once

#include <ramet/types.h>

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

namespace ramet::cli {

struct RunFacts {
  std::string executor = {}, precision = {}, isa = {};
  int threads = 0;
  int64_t peak_rss_bytes = 0;
};

RunFacts run_facts(const ExecutionFacts& execution);
void append(nlohmann::ordered_json& document, const RunFacts& facts);
std::string facts_line(const RunFacts& facts);

// Times of repeated runs, stage by stage; all runs have the same stages.
using Timing = std::vector<StageMs>;
Timing minimum(std::span<const Timing> runs);
Timing median(std::span<const Timing> runs);

nlohmann::ordered_json timing_document(const Timing& timing);  // {"vision": 1.5, ..., "total": 9.1}
std::string timing_line(const Timing& timing);                 // "vision 1.5 ms, ..., total 9.1 ms"

}  // namespace ramet::cli
