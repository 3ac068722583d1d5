// What this program is and what it runs on.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace ramet::cli {

std::vector<std::string> compiled_isas();  // best first
std::string chosen_isa();                  // the best that this machine has

std::string version_text();
nlohmann::ordered_json version_document();

int64_t peak_rss_bytes();  // of this process so far

}  // namespace ramet::cli
