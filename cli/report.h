// An error as users and scripts see it.
#pragma once

#include <ramet/error.h>

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace ramet::cli {

inline constexpr int kDone = 0;
inline constexpr int kCheckFailed = 1;
inline constexpr int kUsage = 2;
inline constexpr int kBadInput = 3;
inline constexpr int kMachine = 4;
inline constexpr int kInternal = 70;

int exit_status(Code code);

// "WHERE: expected EXPECTED, found FOUND; HINT": one line of valid UTF-8.
std::string error_line(const Error& error);

// {"error": {"code", "where", "expected", "found", "hint"}}
nlohmann::ordered_json error_document(const Error& error);

}  // namespace ramet::cli
