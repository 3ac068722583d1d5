// Reading of configuration values with their rules: ranges, lists, and null that differs from absent.
#pragma once

#include "base/json.h"

#include <ramet/error.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ramet {

struct IntRange {
  int64_t min = 1;
  int64_t max = 1 << 20;
};

// An integer inside the range. Errors: invalid_value.
Result<int64_t> int_in_range(const Json& node, IntRange range);
// The same for a key that may be absent or null.
Result<int64_t> int_or(const Json& object, std::string_view key, int64_t fallback, IntRange range = {});

// Absent: fallback. null: empty.
Result<std::optional<int64_t>> nullable_int(const Json& object, std::string_view key, std::optional<int64_t> fallback);
Result<std::optional<double>> nullable_fraction(const Json& object, std::string_view key,
                                                std::optional<double> fallback);  // in (0, 1]

// Where a key of an object stands, for errors: "config.json: model_type".
std::string place(const Json& object, std::string_view key);

// Texts, none empty, none twice.
Result<std::vector<std::string>> unique_names(const Json& list);

// ASCII letters in upper case, '+' as '_': "xyz+rot6d" and "XYZ_ROT6D" name the same thing.
std::string enum_name(std::string_view text);

}  // namespace ramet
