// The vector work around products that multiply several values of k at once: rows and columns rounded into lines of 64
// bytes, lines turned into panels, integer sums scaled. The same bits on every instruction set.
//
// A line holds consecutive values of one row or column: 32 of bf16 or 64 bytes; the last one is filled up with zeros.
#pragma once

#include "device/isa.h"

#include <cstddef>
#include <cstdint>

namespace ramet::ops {

constexpr int64_t kLineBytes = 64;

struct Lines {
  std::byte* first;
  int64_t stride;  // bytes from one line to the next
};
struct ConstLines {
  const std::byte* first;
  int64_t stride;
};

// sums[r][c] = float32(int32 sums[r][c] - offsets[c]) * row_scales[r] * column_scales[c], in place
struct IntegerSums {
  float* sums;              // [rows, columns], bits of int32
  int64_t rows, columns;    // columns: a multiple of 16
  const float* row_scales;  // [rows]
  const float* column_scales;
  const int32_t* offsets;  // [columns] or null
};

struct LineKernels {
  // Rounded to nearest, ties to even; NaN stays NaN. For amx denormal numbers are zero, as they are to its products.
  void (*bf16)(const float* x, int64_t count, Lines lines);

  // high = bf16(x), low = bf16(x - high), but 0 where high is not finite. |x - high - low| <= 2^-17 |x|.
  void (*bf16_halves)(const float* x, int64_t count, Lines high, Lines low);

  // round(x * inverse) in -128..127, ties to even, plus 128 if `is_unsigned`. What is not finite gives any byte.
  void (*int8)(const float* x, int64_t count, float inverse, bool is_unsigned, Lines lines);

  // The same, signed, of x rounded to bf16 first; and of x that was: lines of 32 values.
  void (*int8_of_rounded)(const float* x, int64_t count, float inverse, Lines lines);
  void (*int8_of_lines)(ConstLines x, int64_t count, float inverse, Lines lines);

  // The largest |x| of lines of 32 values in bf16; else as below.
  float (*largest_of_lines)(ConstLines x, int64_t count);

  // The largest |x|; NaN if there is a NaN or an infinity: as a scale it reaches the result, which no integer could.
  float (*largest)(const float* x, int64_t count);

  // 16 lines one after the other, taken as [16][16] groups of four bytes: turned[i][j] = lines[j][i].
  void (*transpose)(const std::byte* lines, Lines turned);

  void (*scale)(const IntegerSums& sums);

  // Pairs rounded to bf16, 16 of them: even[i], odd[i] for i < count <= 16, then zeros. No odd: zeros.
  void (*pair)(const float* even, const float* odd, int64_t count, std::byte* line);

  // y = x * factor, and the same rounded to bf16.
  void (*times)(const float* x, float factor, int64_t count, float* y);
  void (*times_bf16)(const float* x, float factor, int64_t count, std::byte* y);
};

const LineKernels& line_kernels(Isa isa);

}  // namespace ramet::ops
