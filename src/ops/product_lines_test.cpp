#include "ops/product_lines.h"

#include "ops/testing.h"

#include <bit>
#include <limits>
#include <random>

namespace ramet::ops {
namespace {

constexpr std::array<int64_t, 9> kCounts{1, 7, 16, 31, 32, 33, 64, 100, 129};

std::vector<Isa> isas() {
  std::vector<Isa> all;
  for (const Isa isa : kIsas)
    if (cpu_features().has(isa)) all.push_back(isa);
  return all;
}

// Any bits at all: NaN, infinities and denormal numbers are among them.
std::vector<float> any_floats(int64_t count) {
  std::mt19937 bits(7);
  std::vector<float> values(static_cast<size_t>(count));
  for (float& value : values) value = std::bit_cast<float>(static_cast<uint32_t>(bits()));
  const std::array<uint32_t, 8> strange{0x7F800000, 0xFF800000, 0x7F800001, 0xFFFFFFFF,
                                        1,          0x7F7FFFFF, 0x3F808000, 0x3F818000};
  for (size_t i = 0; i < std::min(strange.size(), values.size()); ++i) values[i] = std::bit_cast<float>(strange[i]);
  return values;
}

// Lines of elements T, one every 128 bytes of guarded memory: value i, or nothing beyond the last line.
template <class T, class Write>
std::vector<T> written(int64_t count, const Write& write) {
  constexpr int64_t kStride = 128, kValues = kLineBytes / sizeof(T);
  const int64_t lines = (count + kValues - 1) / kValues;
  test::Guarded memory((lines - 1) * kStride + kLineBytes, 0);
  write(Lines{memory.bytes().data(), kStride});
  EXPECT_TRUE(memory.intact());
  std::vector<T> values(static_cast<size_t>(lines * kValues));
  for (int64_t line = 0; line < lines; ++line)
    std::memcpy(values.data() + line * kValues, memory.bytes().data() + line * kStride, kLineBytes);
  for (int64_t line = 0; line + 1 < lines; ++line)
    EXPECT_EQ(memory.bytes()[static_cast<size_t>(line * kStride + kLineBytes)], std::byte{0xFF});
  return values;
}

// Denormal numbers are zero to the instruction of amx machines.
uint16_t rounded_on(Isa isa, float x) {
  if (isa == Isa::amx && std::abs(x) < std::numeric_limits<float>::min()) x = std::copysign(0.0F, x);
  return f32_to_bf16(x);
}

TEST(LineKernels, RoundToTheBf16OfDtype) {
  for (const Isa isa : isas())
    for (const int64_t count : kCounts) {
      const std::vector<float> x = any_floats(count);
      const auto bits = written<uint16_t>(count, [&](Lines lines) { line_kernels(isa).bf16(x.data(), count, lines); });
      for (size_t i = 0; i < bits.size(); ++i)
        ASSERT_EQ(bits[i], i < x.size() ? rounded_on(isa, x[i]) : 0) << name(isa) << " " << i << " of " << count;
    }
}

TEST(LineKernels, HalvesAddUpToTheValue) {
  for (const Isa isa : isas())
    for (const int64_t count : kCounts) {
      const std::vector<float> x = any_floats(count);
      std::vector<uint16_t> low;
      const auto high = written<uint16_t>(count, [&](Lines high_lines) {
        low = written<uint16_t>(
            count, [&](Lines low_lines) { line_kernels(isa).bf16_halves(x.data(), count, high_lines, low_lines); });
      });
      for (size_t i = 0; i < high.size(); ++i) {
        const float value = i < x.size() ? x[i] : 0.0F, upper = bf16_to_f32(f32_to_bf16(value));
        ASSERT_EQ(high[i], f32_to_bf16(value)) << name(isa) << " " << i << " of " << count;
        ASSERT_EQ(low[i], std::isfinite(upper) ? f32_to_bf16(value - upper) : 0) << name(isa) << " " << i;
      }
    }
}

TEST(LineKernels, RoundBytesToTheNearest) {
  for (const Isa isa : isas())
    for (const int64_t count : kCounts)
      for (const bool is_unsigned : {false, true}) {
        const Buffer x = test::random({count}, 1, 2.0F);
        const auto bytes = written<uint8_t>(count, [&](Lines lines) {
          line_kernels(isa).int8(x.flat<float>().data(), count, 63.5F, is_unsigned, lines);
        });
        for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
          const float rounded = std::nearbyint(x.flat<float>()[i] * 63.5F);
          const float found =
              is_unsigned ? static_cast<float>(bytes[i]) - 128 : static_cast<float>(static_cast<int8_t>(bytes[i]));
          ASSERT_EQ(found, rounded) << name(isa) << " " << i << " of " << count;
        }
      }
}

TEST(LineKernels, FindTheLargestOrNaN) {
  for (const Isa isa : isas())
    for (const int64_t count : kCounts)
      for (int64_t at = 0; at < count; at += 5) {
        Buffer x = test::random({count}, 1);
        const auto largest = [&](float value) {
          x.flat<float>()[static_cast<size_t>(at)] = value;
          return line_kernels(isa).largest(x.flat<float>().data(), count);
        };
        EXPECT_EQ(largest(-3), 3.0F) << name(isa);
        EXPECT_TRUE(std::isnan(largest(std::numeric_limits<float>::infinity()))) << name(isa) << " " << at;
        EXPECT_TRUE(std::isnan(largest(std::numeric_limits<float>::quiet_NaN()))) << name(isa) << " " << at;
      }
}

TEST(LineKernels, TransposeGroupsOfFourBytes) {
  std::array<uint32_t, 256> from;
  for (uint32_t i = 0; i < 256; ++i) from[i] = i * 0x01010101U;
  for (const Isa isa : isas()) {
    const auto turned = written<uint32_t>(
        256, [&](Lines lines) { line_kernels(isa).transpose(reinterpret_cast<const std::byte*>(from.data()), lines); });
    for (size_t i = 0; i < 16; ++i)
      for (size_t j = 0; j < 16; ++j) ASSERT_EQ(turned[16 * i + j], from[16 * j + i]) << name(isa);
  }
}

TEST(LineKernels, ScaleIntegerSums) {
  constexpr int64_t kRows = 3, kColumns = 32;
  const Buffer rows = test::random({kRows}, 1), columns = test::random({kColumns}, 2);
  std::array<int32_t, kColumns> offsets;
  for (int32_t c = 0; c < kColumns; ++c) offsets[static_cast<size_t>(c)] = 1000 * c - 7;
  for (const Isa isa : isas())
    for (const int32_t* taken_off :
         {static_cast<const int32_t*>(nullptr), static_cast<const int32_t*>(offsets.data())}) {
      std::array<int32_t, kRows * kColumns> exact;
      for (int32_t i = 0; i < kRows * kColumns; ++i) exact[static_cast<size_t>(i)] = i * 12345 - 600'000;
      auto sums = std::bit_cast<std::array<float, kRows * kColumns>>(exact);
      line_kernels(isa).scale(
          {sums.data(), kRows, kColumns, rows.flat<float>().data(), columns.flat<float>().data(), taken_off});
      for (size_t i = 0; i < sums.size(); ++i) {
        const size_t c = i % kColumns;
        const int32_t sum = exact[i] - (taken_off == nullptr ? 0 : offsets[c]);
        ASSERT_EQ(sums[i], static_cast<float>(sum) * rows.flat<float>()[i / kColumns] * columns.flat<float>()[c])
            << name(isa);
      }
    }
}

}  // namespace
}  // namespace ramet::ops
