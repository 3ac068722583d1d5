// The initial noise of the sampler from a seed: ours, documented, the same on every machine.
//
//   z_n = mix64(mix64(seed) + (n + 1) G)      SplitMix64; G = 0x9E3779B97F4A7C15, all modulo 2^64
//   u_n = ((z_n >> 11) + 0.5) 2^-53           in (0, 1)
//   x_2m   = sqrt(-2 ln u_2m) cos(2 pi u_2m+1)
//   x_2m+1 = sqrt(-2 ln u_2m) sin(2 pi u_2m+1)        Box and Muller; in double, then rounded to float32
//
// The seed is mixed by itself first: neighbouring seeds would else give shifted noise.
#pragma once

#include <cstdint>
#include <span>

namespace ramet {

void fill_noise(uint64_t seed, std::span<float> out);

}  // namespace ramet
