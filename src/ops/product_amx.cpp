#include "ops/product_amx.h"

#if defined(__x86_64__)

#include "ops/amx_tiles.h"
#include "ops/product_amx_kernel.h"

#include <array>

namespace ramet::ops {

std::span<const ProductKernel* const> amx_product_kernels() {
  static constexpr std::array kKernels{&amx::kInt8<HardwareTiles>, &amx::kBf16<HardwareTiles>,
                                       &amx::kFp32<HardwareTiles>};
  return kKernels;
}

}  // namespace ramet::ops

#else

namespace ramet::ops {
std::span<const ProductKernel* const> amx_product_kernels() { return {}; }
}  // namespace ramet::ops

#endif
