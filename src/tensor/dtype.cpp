#include "tensor/dtype.h"

#include <array>
#include <utility>

namespace ramet {
namespace {

struct Row {
  DType dtype;
  std::string_view name;
  int64_t bytes;
};

constexpr std::array kRows{Row{DType::f32, "F32", 4},     Row{DType::f64, "F64", 8}, Row{DType::f16, "F16", 2},
                           Row{DType::bf16, "BF16", 2},   Row{DType::i64, "I64", 8}, Row{DType::i32, "I32", 4},
                           Row{DType::i16, "I16", 2},     Row{DType::i8, "I8", 1},   Row{DType::u8, "U8", 1},
                           Row{DType::boolean, "BOOL", 1}};

}  // namespace

int64_t size_bytes(DType dtype) { return kRows[static_cast<size_t>(dtype)].bytes; }
std::string_view name(DType dtype) { return kRows[static_cast<size_t>(dtype)].name; }

std::optional<DType> parse_dtype(std::string_view safetensors_name) {
  for (const Row& row : kRows)
    if (row.name == safetensors_name) return row.dtype;
  return std::nullopt;
}

float f16_to_f32(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000U) << 16;
  const uint32_t exponent = (bits >> 10) & 0x1FU;
  const uint32_t mantissa = bits & 0x3FFU;
  if (exponent == 0x1F) return std::bit_cast<float>(sign | 0x7F800000U | (mantissa << 13));
  if (exponent != 0) return std::bit_cast<float>(sign | ((exponent + 112U) << 23) | (mantissa << 13));
  const float magnitude = static_cast<float>(mantissa) * 0x1p-24F;  // zero or subnormal
  return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(magnitude));
}

}  // namespace ramet
