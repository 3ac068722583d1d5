// Observations of the Python clients, checked as the original policies check them, as observations of the engine.
//
//   nested   {"video": {K: u8 [B,T,H,W,3]}, "state": {K: f32 [B,T,D]}, "language": {K: [[text]] * B}}
//   flat     {"video.K": u8 [B,T,H,W,3], "state.K": f32 [B,T,D], LANGUAGE KEY: [text] * B}
//   n15      as flat; the batch axis may be missing from everything; states also float64; [text] for any batch
//
// An error says which key does not fit, what is wanted there and what came.
// Errors: not_found, unsupported_dtype, shape_mismatch, invalid_value, not_finite.
// Source: spec policy-server, sections 1.1, 1.2, 2, 7.1 and 9.
#pragma once

#include "server/wire/value.h"

#include <ramet/policy.h>

#include <deque>

namespace ramet::server {

enum class Api { nested, flat, n15 };

std::string_view name(Api api);

struct ObservationRules {
  bool cast_types = false;        // take numbers of any type, as --no-strict does
  int64_t max_batch = 32;         // observations in a request
  int64_t max_image_side = 8192;  // pixels
  int64_t max_text_bytes = 4096;  // of an instruction
};

struct ObservationBatch {
  std::vector<Observation> items;           // pictures lie in the message or in `copies`
  std::deque<std::vector<uint8_t>> copies;  // of pictures that came in Fortran order
  Dialect dialect = Dialect::npy;           // of the arrays; npy when they are mixed
  bool has_batch_axis = true;
};

// Nested or flat? By the keys alone.
bool is_flat(const Map& observation);

Result<ObservationBatch> read_observation(const Map& observation, Api api, const EmbodimentInfo& robot,
                                          const ObservationRules& rules);

}  // namespace ramet::server
