#include <ramet/error.h>

namespace ramet {

std::string_view name(Code code) {
  switch (code) {
    case Code::usage: return "usage";
    case Code::not_found: return "not_found";
    case Code::invalid_file: return "invalid_file";
    case Code::invalid_value: return "invalid_value";
    case Code::shape_mismatch: return "shape_mismatch";
    case Code::unsupported_dtype: return "unsupported_dtype";
    case Code::unsupported: return "unsupported";
    case Code::surplus: return "surplus";
    case Code::not_finite: return "not_finite";
    case Code::no_memory: return "no_memory";
    case Code::no_resource: return "no_resource";
    case Code::check_failed: return "check_failed";
    case Code::internal: return "internal";
  }
  return "unknown";
}

std::string Error::message() const {
  std::string line = where + ": expected " + expected + ", found " + found;
  if (!hint.empty()) line += "; " + hint;
  for (char& c : line)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  return line;
}

}  // namespace ramet
