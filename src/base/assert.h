// Checks of our own mistakes; input never reaches them.
//
//   RAMET_ASSERT(rows == y.rows(), rows, y.rows());
//
// Debug builds abort with the text. Release builds throw InternalError, which the outermost call of the library
// (api) turns into Code::internal. RAMET_DASSERT is for kernels and vanishes in release.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>

namespace ramet {

struct InternalError : std::logic_error {
  using std::logic_error::logic_error;
};

[[noreturn]] void assertion_failed(const char* condition, const char* file, int line, const std::string& values);

}  // namespace ramet

#define RAMET_ASSERT(condition, ...)                                                                     \
  do {                                                                                                   \
    if (!(condition)) [[unlikely]]                                                                       \
      ::ramet::assertion_failed(#condition, __FILE__, __LINE__, ::ramet::assertion_values(__VA_ARGS__)); \
  } while (false)

#ifdef NDEBUG
#define RAMET_DASSERT(condition, ...) static_cast<void>(0)
#else
#define RAMET_DASSERT(condition, ...) RAMET_ASSERT(condition __VA_OPT__(, ) __VA_ARGS__)
#endif

namespace ramet {

template <class... T>
std::string assertion_values(const T&... values) {
  std::string text;
  ((text += fmt::format(" {}", values)), ...);
  return text;
}

}  // namespace ramet
