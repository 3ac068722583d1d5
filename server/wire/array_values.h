// The elements of an array in C order, whatever byte order, memory order and width they travelled in.
#pragma once

#include "server/wire/value.h"

#include <ramet/error.h>

#include <optional>
#include <string>

namespace ramet::server {

bool is_number_type(const ElementType& type);  // b, i, u, f

// One float per element, from any type of number. Errors: unsupported_dtype, naming `where`.
Result<std::vector<float>> read_floats(const Array& array, const std::string& where);
// One UTF-8 text per element of a U or S array. Errors: unsupported_dtype, invalid_value.
Result<std::vector<std::string>> read_texts(const Array& array, const std::string& where);
// The bytes of a uint8 array in C order, copied: for an array in Fortran order.
std::vector<uint8_t> reordered_bytes(const Array& array);

// An integer as msgpack, as a NumPy scalar or as an array of one element. Nothing for anything else.
std::optional<int64_t> read_integer(const Value& value);

}  // namespace ramet::server
