#include "ops/emulated_kernels.h"

#include "ops/emulated_tiles.h"
#include "ops/product_amx_kernel.h"
#include "ops/product_dot-inl.h"

#include <array>

namespace ramet::ops {
namespace {

// vdpbf16ps: two products for each of sixteen sums; denormal numbers are zero.
struct EmulatedBf16 {
  using Format = Bf16Format;
  static constexpr Isa kIsa = Isa::scalar;

  static float normal(int32_t bits) { return (bits & 0x7F800000) == 0 ? 0.0F : std::bit_cast<float>(bits); }
  static void multiply_add(Floats& sum, const Integers& row, const Integers& w) {
    for (int i = 0; i < 16; ++i) {
      const auto high = static_cast<int32_t>(0xFFFF0000U);
      sum[i] += normal(row[i] & high) * normal(w[i] & high);
      sum[i] += normal(row[i] << 16) * normal(w[i] << 16);
    }
  }
};

// vpdpbusd: four products of an unsigned and a signed byte, added without saturation.
struct EmulatedInt8 {
  using Format = Int8Format;
  static constexpr Isa kIsa = Isa::scalar;

  static void multiply_add(Integers& sum, const Integers& row, const Integers& w) {
    for (int i = 0; i < 16; ++i)
      for (int j = 0; j < 4; ++j)
        sum[i] = static_cast<int32_t>(static_cast<uint32_t>(sum[i]) +
                                      static_cast<uint32_t>(static_cast<uint8_t>(row[i] >> (8 * j) & 0xFF) *
                                                            static_cast<int8_t>(w[i] >> (8 * j) & 0xFF)));
  }
};

bool always(const CpuFeatures&) { return true; }

constexpr ProductKernel named(std::string_view name, ProductKernel kernel) {
  kernel.name = name;
  return kernel;
}

constexpr ProductKernel kAmxInt8 = named("emulated.amx.int8", amx::kInt8<test::EmulatedTiles>);
constexpr ProductKernel kAmxBf16 = named("emulated.amx.bf16", amx::kBf16<test::EmulatedTiles>);
constexpr ProductKernel kAmxFp32 = named("emulated.amx.fp32", amx::kFp32<test::EmulatedTiles>);
constexpr ProductKernel kDotInt8 = dot_kernel<EmulatedInt8>("emulated.avx512.int8", Precision::int8, DType::i8, always);
constexpr ProductKernel kDotBf16 =
    dot_kernel<EmulatedBf16>("emulated.avx512.bf16", Precision::bf16, DType::bf16, always);

}  // namespace
}  // namespace ramet::ops

namespace ramet::test {

std::span<const ops::ProductKernel* const> emulated_product_kernels() {
  static constexpr std::array kKernels{&ops::kAmxInt8, &ops::kAmxBf16, &ops::kAmxFp32, &ops::kDotInt8, &ops::kDotBf16};
  return kKernels;
}

}  // namespace ramet::test
