#include "base/assert.h"

#include <cstdio>
#include <cstdlib>

namespace ramet {

void assertion_failed(const char* condition, const char* file, int line, const std::string& values) {
  const std::string text = fmt::format("{}:{}: {} does not hold:{}", file, line, condition, values);
#ifdef NDEBUG
  throw InternalError(text);
#else
  std::fprintf(stderr, "%s\n", text.c_str());
  std::abort();
#endif
}

}  // namespace ramet
