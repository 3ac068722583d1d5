#include "tensor/dtype.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace ramet {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

uint32_t bits_of(float value) { return std::bit_cast<uint32_t>(value); }
float float_of(uint32_t bits) { return std::bit_cast<float>(bits); }
uint16_t rounded(uint32_t bits) { return f32_to_bf16(float_of(bits)); }

TEST(DType, NamesAndSizes) {
  struct Row {
    DType dtype;
    std::string_view name;
    int64_t bytes;
  };
  for (const auto& [dtype, text, bytes] :
       {Row{DType::f32, "F32", 4}, Row{DType::f64, "F64", 8}, Row{DType::f16, "F16", 2}, Row{DType::bf16, "BF16", 2},
        Row{DType::i64, "I64", 8}, Row{DType::i32, "I32", 4}, Row{DType::i16, "I16", 2}, Row{DType::i8, "I8", 1},
        Row{DType::u8, "U8", 1}, Row{DType::boolean, "BOOL", 1}}) {
    EXPECT_EQ(name(dtype), text);
    EXPECT_EQ(size_bytes(dtype), bytes);
    EXPECT_EQ(parse_dtype(text), dtype);
  }
  for (const char* unknown : {"", "f32", "F8_E4M3", "F32 ", "float32"}) EXPECT_EQ(parse_dtype(unknown), std::nullopt);
}

TEST(Bf16, Table) {
  struct Row {
    uint32_t f32;
    uint16_t bf16;
  };
  for (const auto& [f32, bf16] : {
           Row{0x00000000, 0x0000},
           Row{0x80000000, 0x8000},  // zeros keep their sign
           Row{0x3F800000, 0x3F80},
           Row{0xC0490FDB, 0xC049},  // 1, -pi
           Row{0x3F808000, 0x3F80},
           Row{0x3F818000, 0x3F82},  // ties go to even
           Row{0x3F807FFF, 0x3F80},
           Row{0x3F808001, 0x3F81},  // and what is beside a tie to the nearest
           Row{0x00000001, 0x0000},
           Row{0x00008000, 0x0000},  // subnormals
           Row{0x00008001, 0x0001},
           Row{0x80018000, 0x8002},  //
           Row{0x007FFFFF, 0x0080},  // the largest subnormal becomes normal
           Row{0x7F7F7FFF, 0x7F7F},
           Row{0x7F7F8000, 0x7F80},  // overflow
           Row{0x7F7FFFFF, 0x7F80},
           Row{0x7F800000, 0x7F80},
           Row{0xFF800000, 0xFF80},
       })
    EXPECT_EQ(rounded(f32), bf16) << std::hex << f32;
}

TEST(Bf16, NanStaysNan) {
  for (const uint32_t nan : {0x7F800001U, 0x7FC00000U, 0x7FFFFFFFU, 0xFF800001U, 0xFFFFFFFFU}) {
    EXPECT_TRUE(std::isnan(bf16_to_f32(rounded(nan)))) << std::hex << nan;
    EXPECT_EQ(rounded(nan) >> 15, nan >> 31);
  }
}

TEST(Bf16, EveryValueSurvivesAndEveryTieIsEven) {
  for (uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
    const auto value = static_cast<uint16_t>(bits);
    ASSERT_EQ(bits_of(bf16_to_f32(value)), bits << 16);
    if ((bits & 0x7FFFU) >= 0x7F80U) continue;  // the largest magnitude, infinite or NaN
    const uint32_t tie = (bits << 16) | 0x8000U;
    ASSERT_EQ(rounded(bits << 16), bits);
    ASSERT_EQ(rounded(tie - 1), bits);
    ASSERT_EQ(rounded(tie), bits + bits % 2);
    ASSERT_EQ(rounded(tie + 1), bits + 1);
  }
}

TEST(F16, Table) {
  EXPECT_EQ(f16_to_f32(0x3C00), 1.0F);
  EXPECT_EQ(f16_to_f32(0xC000), -2.0F);
  EXPECT_EQ(f16_to_f32(0x7BFF), 65504.0F);
  EXPECT_EQ(f16_to_f32(0x0400), 0x1p-14F);  // the smallest normal
  EXPECT_EQ(f16_to_f32(0x03FF), 0x3FFp-24F);
  EXPECT_EQ(f16_to_f32(0x8001), -0x1p-24F);
  EXPECT_EQ(bits_of(f16_to_f32(0x8000)), 0x80000000U);
  EXPECT_EQ(f16_to_f32(0x7C00), kInfinity);
  EXPECT_EQ(f16_to_f32(0xFC00), -kInfinity);
}

TEST(F16, EveryValueFollowsTheFormula) {
  for (uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
    const float value = f16_to_f32(static_cast<uint16_t>(bits));
    const int exponent = static_cast<int>(bits >> 10 & 0x1F);
    const int fraction = static_cast<int>(bits & 0x3FF);
    if (exponent == 0x1F && fraction != 0) {
      ASSERT_TRUE(std::isnan(value)) << bits;
    } else if (exponent != 0x1F) {
      const int significand = exponent == 0 ? fraction : fraction + 1024;
      ASSERT_EQ(std::abs(value), std::ldexp(significand, std::max(exponent, 1) - 25)) << bits;
      ASSERT_EQ(std::signbit(value), bits >> 15 != 0) << bits;
    }
  }
}

template <class T>
std::vector<float> widened(DType dtype, const std::vector<T>& values) {
  std::vector<float> out(values.size());
  widen(dtype, reinterpret_cast<const std::byte*>(values.data()), out);
  return out;
}

TEST(Widen, TakesEveryNumericType) {
  using Floats = std::vector<float>;
  EXPECT_EQ(widened<float>(DType::f32, {0.1F, -0.0F, kInfinity}), (Floats{0.1F, -0.0F, kInfinity}));
  EXPECT_EQ(widened<double>(DType::f64, {0.1, 1e-60}), (Floats{0.1F, 0.0F}));
  EXPECT_EQ(widened<uint16_t>(DType::bf16, {0x3F80, 0xBF00}), (Floats{1.0F, -0.5F}));
  EXPECT_EQ(widened<uint16_t>(DType::f16, {0x3C00, 0xB800}), (Floats{1.0F, -0.5F}));
  EXPECT_EQ(widened<int64_t>(DType::i64, {-3, (1 << 24) + 1}), (Floats{-3.0F, 0x1p24F}));
  EXPECT_EQ(widened<int32_t>(DType::i32, {-3, (1 << 24) + 3}), (Floats{-3.0F, 0x1p24F + 4}));
  EXPECT_EQ(widened<int16_t>(DType::i16, {-32768, 32767}), (Floats{-32768.0F, 32767.0F}));
  EXPECT_EQ(widened<int8_t>(DType::i8, {-128, 127}), (Floats{-128.0F, 127.0F}));
  EXPECT_EQ(widened<uint8_t>(DType::u8, {0, 255}), (Floats{0.0F, 255.0F}));
  EXPECT_EQ(widened<uint8_t>(DType::boolean, {0, 1}), (Floats{0.0F, 1.0F}));
}

}  // namespace
}  // namespace ramet
