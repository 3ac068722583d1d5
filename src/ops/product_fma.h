// Product kernels on vectors of any width, by Google Highway: float32 multiply-adds for fp32 and bf16, products of
// pairs of 16-bit integers for int8.
//
// fp32, bf16  the weights are widened to float32 exactly; one multiply-add after the other in ascending order from zero
// int8        weights q = round(w / s), s = max|w| / 127 by column; rows likewise with as many bits as the sum in int32
//             allows (14 at a depth of 1024, 12 at 4096); the sum is exact, then float32(sum) * row scale * column
//             scale
#pragma once

#include "ops/product_kernel.h"

#include <span>

namespace ramet::ops {

std::span<const ProductKernel* const> vector_product_kernels();  // the best first

}  // namespace ramet::ops
