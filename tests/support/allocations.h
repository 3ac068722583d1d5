// Counts what a test program allocates: link ramet_test_allocations, which replaces operator new.
#pragma once

#include <cstdint>

namespace ramet::test {

int64_t allocations();  // calls of operator new so far, by any thread

}  // namespace ramet::test
