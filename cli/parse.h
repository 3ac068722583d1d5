// Values given as text, on the command line, in the environment or in ramet.json.
#pragma once

#include <ramet/error.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ramet::cli {

struct Given {
  std::string text;
  std::string where;        // "--threads", "RAMET_THREADS", "DIR/ramet.json: threads"
  Code code = Code::usage;  // of the error when the text does not fit
};

tl::unexpected<Error> misfit(const Given& given, std::string expected, std::string hint = {});

Result<int64_t> parse_integer(const Given& given, int64_t min, int64_t max);
Result<uint64_t> parse_unsigned(const Given& given);
Result<double> parse_number(const Given& given);              // finite
Result<std::vector<float>> parse_floats(const Given& given);  // "0.1,-2,3e-4"

// "KEY=VALUE" -> {"KEY", "VALUE"}; neither is empty.
Result<std::pair<std::string, std::string>> parse_pair(const Given& given);

// "did you mean A?" where a known name is near, else nothing: for messages that list all names already.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& known);

std::vector<std::string> split(std::string_view text, char separator);  // "" -> {""}

}  // namespace ramet::cli
