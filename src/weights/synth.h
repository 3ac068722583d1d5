// Synthetic weights: every value is a pure function of (seed, profile, tensor name, shape, dtype), the same bytes on
// every machine and in tools/synth.py.
//
//   z(i) = mix64(key(seed, name) + (i + 1) G)         i: flat row-major index, 64-bit wrapping arithmetic
//   x(i) = float32(z >> 40) 2^-23 - 1                 exact, in [-1, 1)
//   v(i) = c + a x(i)                                 product and sum each rounded to float32
//   v(i) = 8 v(i)   if the profile is spiky, the tensor is a norm gain, and (z & 255) == 0
//
// stored as F32, or rounded to BF16 (nearest, ties to even).
//
//   tensor, first rule that fits                                              c   a
//   name ends in embed_tokens.weight, or contains pos_embed,
//     position_embedding or future_tokens                                     0   0.1
//   last part of the name is "bias" or "b"                                    0   0.05
//   at most one dimension: a norm gain                                        1   0.25
//   last part is "W" with three dimensions [E, in, out]                       0   sqrt(3 / in)
//   everything else, [out, ...]                                               0   sqrt(3 / product of all but the
//   first)
//
// Source: spec synth.
#pragma once

#include "weights/safetensors_writer.h"
#include "weights/synth_fill.h"

#include <ramet/error.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace ramet {

enum class SynthProfile { plain, spiky };  // spiky: outlier channels, where language models have them

Result<SynthProfile> parse_synth_profile(std::string_view name);
std::string_view name(SynthProfile profile);

struct SynthSeed {
  uint64_t seed = 1;
  SynthProfile profile = SynthProfile::plain;
};

uint64_t synth_key(uint64_t seed, std::string_view tensor);

// The values of one tensor. Knows no state: any part can be filled by any thread.
class SynthTensor {
 public:
  SynthTensor(const TensorSpec& spec, const SynthSeed& seed);  // F32 or BF16

  // Elements first, first + 1, ... as many as `out` takes; out is aligned to the element.
  void fill(int64_t first, std::span<std::byte> out) const;

 private:
  DType dtype_;
  SynthFormula formula_;
};

}  // namespace ramet
