// Product kernels on tiles of Intel AMX.
//
// bf16   rows and weights rounded to bf16, to nearest even; sums in float32, pair of k by pair in ascending order
// int8   q = round(x / s), s = max|x| / 127 by row and by column; the sum is exact, then float32(sum) * row scale *
//        column scale. Beyond a depth of 130 000 rows get fewer than 8 bits, so that the sum stays in int32.
// fp32   x = high + low + e, both bf16, |e| <= 2^-17 |x|; high high + low high + high low, summed in float32. What is
//        left out is at most 2^-15 of every product (3e-5), about 3e-6 of a sum of many.
//
// All treat denormal numbers as zero, and so the low half of values below 2^-118. An infinity in fp32 may give NaN.
#pragma once

#include "ops/product_kernel.h"

#include <span>

namespace ramet::ops {

std::span<const ProductKernel* const> amx_product_kernels();  // the best first; none on other architectures

}  // namespace ramet::ops
