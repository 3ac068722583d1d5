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

template <class T, class Convert>
void convert(const std::byte* values, std::span<float> out, Convert to_float) {
  const T* in = reinterpret_cast<const T*>(values);
  for (size_t i = 0; i < out.size(); ++i) out[i] = to_float(in[i]);
}

template <class T>
void cast(const std::byte* values, std::span<float> out) {
  convert<T>(values, out, [](T value) { return static_cast<float>(value); });
}

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

void widen(DType dtype, const std::byte* values, std::span<float> out) {
  switch (dtype) {
    case DType::f32: return cast<float>(values, out);
    case DType::f64: return cast<double>(values, out);
    case DType::bf16: return convert<uint16_t>(values, out, bf16_to_f32);
    case DType::f16: return convert<uint16_t>(values, out, f16_to_f32);
    case DType::i64: return cast<int64_t>(values, out);
    case DType::i32: return cast<int32_t>(values, out);
    case DType::i16: return cast<int16_t>(values, out);
    case DType::i8: return cast<int8_t>(values, out);
    case DType::u8:
    case DType::boolean: return cast<uint8_t>(values, out);
  }
}

}  // namespace ramet
