// msgpack bytes to a tree, within limits that hold before anything is allocated: what a container announces is
// charged against max_values when it opens, so a message costs memory in proportion to its values, not its claims.
//
// Refused: cut messages, bytes after the end, the byte c1, map keys other than text and bytes, text that is not UTF-8,
// extension types, nesting over max_depth; and what element_type.h, npy.h and array_maps.h refuse.
// Source: spec policy-server, sections 5 and 9.
#pragma once

#include "server/wire/value.h"

#include <ramet/error.h>

namespace ramet::server {

struct ReadLimits {
  int64_t max_depth = 32;
  int64_t max_values = 100'000;  // besides texts and bytes themselves
};

// The tree looks into `body`. Errors: invalid_value ("malformed message: …"), and those of the arrays.
Result<Value> read_message(std::string_view body, const ReadLimits& limits = {});

}  // namespace ramet::server
