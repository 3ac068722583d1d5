// Product kernels on the dot products of AVX-512: pairs of bf16 (vdpbf16ps) and groups of four bytes (vpdpbusd).
//
// bf16   rows and weights rounded to bf16, to nearest even; sums in float32, pair of k by pair in ascending order.
//        Denormal numbers are zero.
// int8   q = round(x / s), s = max|x| / 127 by row and by column; the sum is exact, then float32(sum) * row scale *
//        column scale. Rows are stored as q + 128, and 128 times the sum of a column is taken off again. Beyond a depth
//        of 130 000 rows get fewer than 8 bits, so that the sum stays in int32.
#pragma once

#include "ops/product_kernel.h"

#include <span>

namespace ramet::ops {

std::span<const ProductKernel* const> dot_product_kernels();  // the best first; none on other architectures

}  // namespace ramet::ops
