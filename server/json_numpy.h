// Arrays inside JSON, as N1.5's HTTP clients send them.
//
//   {"__numpy__": base64 of the elements in C order, "dtype": "<f8", "shape": [1, 2]}
//
// Errors: invalid_value, unsupported_dtype, shape_mismatch, with the place in the document.
// Source: spec policy-server, section 7.4.
#pragma once

#include "base/json.h"
#include "server/wire/value.h"

#include <deque>

namespace ramet::server {

// A tree that looks into the JSON document and into `buffers`, which take the decoded elements.
Result<Value> read_json_numpy(const Json& json, std::deque<std::string>& buffers);

Result<std::string> decode_base64(std::string_view text, const std::string& where);
std::string encode_base64(std::string_view bytes);

}  // namespace ramet::server
