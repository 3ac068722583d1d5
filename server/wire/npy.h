// The .npy file format, versions 1 to 3, as arrays travel in the npy dialect.
//
//   93 "NUMPY" | major minor | header length, u16 (version 1) or u32, little endian | header | elements
//   header: {'descr': '<f4', 'fortran_order': False, 'shape': (1, 16, 7), } blanks newline
//
// The header is read by a strict grammar (three keys; strings, bools, tuples of integers) and never evaluated.
// Written as NumPy does: version 1, blanks so that the elements start at a multiple of 64.
// Errors: invalid_file, unsupported_dtype, shape_mismatch.  Source: spec policy-server, section 5.1.
#pragma once

#include "server/wire/value.h"

#include <ramet/error.h>

namespace ramet::server {

Result<Array> read_npy(std::string_view file);

// Everything before the elements.
std::string npy_header(std::string_view descr, const std::vector<int64_t>& shape, bool fortran_order = false);

}  // namespace ramet::server
