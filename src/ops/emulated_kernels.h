// The kernels of product_amx.h and product_dot.h with their one kind of instruction computed in plain C++: packing,
// blocking and indices are those of the real ones.
#pragma once

#include "ops/product_kernel.h"

#include <span>

namespace ramet::test {

std::span<const ops::ProductKernel* const> emulated_product_kernels();

}  // namespace ramet::test
