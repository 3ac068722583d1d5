// Element types and their names in checkpoints.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace ramet {

enum class DType : uint8_t { f32, f64, f16, bf16, i64, i32, i16, i8, u8, boolean };

int64_t size_bytes(DType dtype);
std::string_view name(DType dtype);  // "F32", as safetensors writes it
std::optional<DType> parse_dtype(std::string_view safetensors_name);

// bfloat16 bits <-> float32. Rounds to nearest, ties to even; NaN stays NaN.
inline float bf16_to_f32(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }
inline uint16_t f32_to_bf16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7FFFFFFFU) > 0x7F800000U) return static_cast<uint16_t>((bits >> 16) | 0x40U);
  return static_cast<uint16_t>((bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16);
}
float f16_to_f32(uint16_t bits);

// out[i] = float32(values[i]) for any numeric dtype; rounds where float32 is too narrow (f64 and wide integers).
void widen(DType dtype, const std::byte* values, std::span<float> out);

}  // namespace ramet
