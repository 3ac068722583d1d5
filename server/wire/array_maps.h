// Maps that stand for something else, recognised by the presence of a key:
//
//   npy    {"__ndarray_class__": true, "as_npy": bin}                                  an array
//   mnp    {bin "nd": true, bin "type", bin "kind", bin "shape", bin "data"}           an array
//          {bin "nd": false, bin "type", bin "data"}                                   a NumPy scalar
//          {bin "complex": true, bin "data": "(1+2j)"}                                 a Python complex number
//   both   {"__ModalityConfig…__": true, "as_json" or "as_dict": {delta_indices, …}}   stays a map, is checked
//
// Pickled objects are refused wherever msgpack-numpy would have unpickled them, also under text keys.
// Errors: invalid_value, invalid_file, unsupported_dtype, shape_mismatch.  Source: spec policy-server, sections 5, 9.
#pragma once

#include "server/wire/value.h"

#include <ramet/error.h>

namespace ramet::server {

Result<Value> resolve_map(Map map);

}  // namespace ramet::server
