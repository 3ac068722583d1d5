#include "ops/product_dot.h"

#if defined(__x86_64__)

#include "ops/int8_scale.h"  // before the pragma: code of these headers must run anywhere
#include "ops/operand.h"
#include "ops/product_lines.h"

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <cstring>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512bf16,avx512vnni"))), \
                             apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512dq,avx512bf16,avx512vnni")
#endif
#include "ops/product_dot-inl.h"

namespace ramet::ops {
namespace {

struct HardwareBf16 {
  using Format = Bf16Format;
  static constexpr Isa kIsa = Isa::avx512;
  __attribute__((always_inline)) static void multiply_add(Floats& sum, Integers row, Integers w) {
    sum = (Floats)_mm512_dpbf16_ps((__m512)sum, (__m512bh)row, (__m512bh)w);
  }
};

struct HardwareInt8 {
  using Format = Int8Format;
  static constexpr Isa kIsa = Isa::avx512;
  __attribute__((always_inline)) static void multiply_add(Integers& sum, Integers row, Integers w) {
    sum = (Integers)_mm512_dpbusd_epi32((__m512i)sum, (__m512i)row, (__m512i)w);
  }
};

}  // namespace
}  // namespace ramet::ops
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

namespace ramet::ops {
namespace {

bool has_bf16(const CpuFeatures& cpu) { return cpu.avx512_bf16; }
bool has_vnni(const CpuFeatures& cpu) { return cpu.avx512_vnni; }

constexpr ProductKernel kBf16 = dot_kernel<HardwareBf16>("avx512.bf16", Precision::bf16, DType::bf16, has_bf16);
constexpr ProductKernel kInt8 = dot_kernel<HardwareInt8>("avx512.int8", Precision::int8, DType::i8, has_vnni);

}  // namespace

std::span<const ProductKernel* const> dot_product_kernels() {
  static constexpr std::array kKernels{&kInt8, &kBf16};
  return kKernels;
}

}  // namespace ramet::ops

#else

namespace ramet::ops {
std::span<const ProductKernel* const> dot_product_kernels() { return {}; }
}  // namespace ramet::ops

#endif
