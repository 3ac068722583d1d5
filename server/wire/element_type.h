// Types and sizes of arrays from strangers: everything is checked before a byte of an array is touched.
//
//   [<>|=] b1 | i1..i8 | u1..u8 | f2 | f4 | f8 | U<n> | S<n>
//
// Objects, records, void, complex numbers, dates, long doubles and whatever NumPy may learn are refused.
// Errors: unsupported_dtype, shape_mismatch.  Source: spec policy-server, sections 5.1 and 9.
#pragma once

#include "server/wire/value.h"

#include <ramet/error.h>

namespace ramet::server {

Result<ElementType> parse_element_type(std::string_view descr);

// Does the array have as many bytes as its shape and type ask for, and at most kMaxRank axes of length >= 0?
inline constexpr size_t kMaxRank = 8;
Status check_size(const Array& array);

}  // namespace ramet::server
