// The inner loop of synth.h, compiled for each instruction set; the bytes are the same for all of them.
#pragma once

#include <cstdint>
#include <span>

namespace ramet {

struct SynthFormula {
  uint64_t key = 0;
  float centre = 0, amplitude = 0;
  bool spiky = false;
};

// SplitMix64 (Steele, Lea, Flood 2014): its increment, 2^64 / golden ratio, and its output function.
inline constexpr uint64_t kSynthStep = 0x9E3779B97F4A7C15U;
constexpr uint64_t mix64(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31);
}

// Elements first, first + 1, ... of a tensor.
void synth_fill_f32(const SynthFormula& formula, uint64_t first, std::span<float> out);
void synth_fill_bf16(const SynthFormula& formula, uint64_t first, std::span<uint16_t> out);

}  // namespace ramet
