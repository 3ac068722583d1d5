// The lines of a text file, numbered from 1, without their line ends (LF or CR LF). A last line end starts no line.
#pragma once

#include <ramet/error.h>

#include <cstddef>
#include <string_view>

namespace ramet {

// `handle(line, number)` returns Status; the first error ends the walk.
template <class Handler>
Status for_each_line(std::string_view text, Handler handle) {
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    RAMET_TRY_STATUS(handle(line, number));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return {};
}

}  // namespace ramet
