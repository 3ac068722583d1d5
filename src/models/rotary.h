// Cosines and sines of rotary positions, and the interleaved multimodal kind of the Qwen3 text stack.
//
//   angle[t, i] = positions[axis(i)][t] * inv[i]        inv[i] = theta^(-2i / head_dim), i < head_dim / 2
//   axis(i): T H W T H W ... while the section of an axis lasts, then T
//
// Source: spec qwen3-vl, sections 3.5 and 5.4; spec gr00t-n1.7, section 9.2.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace ramet {

enum class RotaryRounding { exact, bf16 };  // bf16: as in a live Gr00tPolicy, whose buffers were cast

struct RotaryTables {
  std::vector<float> cos, sin;  // [rows, head_dim / 2]
};

// 0 time, 1 height, 2 width; `section` counts the frequencies of each axis.
int mrope_axis(int64_t frequency, const std::vector<int64_t>& section);

// With RotaryRounding::bf16 only inv is rounded.
RotaryTables mrope_tables(const std::array<std::vector<int64_t>, 3>& positions, int64_t head_dim, double theta,
                          const std::vector<int64_t>& section, RotaryRounding rounding);

}  // namespace ramet
