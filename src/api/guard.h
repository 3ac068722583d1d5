// The outermost layer of every public call: what libraries or broken assumptions throw becomes an Error.
#pragma once

#include "base/assert.h"

#include <ramet/error.h>

#include <new>

namespace ramet {

template <class Call>
auto guarded(const Call& call) -> decltype(call()) {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    return fail(Code::no_memory, "memory", "enough memory", "none left");
  } catch (const InternalError& error) {
    return fail(Code::internal, "ramet", "no mistake in Ramet", error.what(), "please report it");
  } catch (const std::exception& error) {
    return fail(Code::internal, "ramet", "no exception", error.what(), "please report it");
  }
}

}  // namespace ramet
