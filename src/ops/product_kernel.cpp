#include "ops/product_kernel.h"

#include "base/assert.h"
#include "ops/operand.h"
#include "ops/product_amx.h"
#include "ops/product_dot.h"
#include "ops/product_fma.h"

#include <algorithm>
#include <vector>

namespace ramet::ops {

std::string_view name(Precision precision) {
  switch (precision) {
    case Precision::fp32: return "fp32";
    case Precision::bf16: return "bf16";
    case Precision::int8: return "int8";
  }
  return "";
}

// bf16 weights that meet exact rows are fp32 products.
bool ProductKernel::serves(Precision wanted, DType dtype) const {
  if (wanted == Precision::fp32) return precision == Precision::fp32 || (exact_rows && weights == dtype);
  return precision == wanted;
}

void multiply_for(const ProductKernel& kernel, const ProductBlock& block, std::byte* scratch, float* sums,
                  const TakeSums& take) {
  if (kernel.multiply_for != nullptr) return kernel.multiply_for(block, sums, take);
  kernel.multiply(block, scratch, sums);
  const int64_t rows = block.num_tiles * kernel.tile_rows;
  for (int64_t p = 0; p < block.num_panels; ++p)
    take.call(take.context, p, 0, rows, sums + p * rows * kernel.panel_columns);
}

Blocking block_by_strips(int64_t tiles, int64_t tile_rows, int64_t strip_panels) {
  constexpr int64_t kChunkRows = 192;
  const int64_t chunks = div_up(tiles * tile_rows, std::max(kChunkRows, tile_rows));
  return {.chunk_tiles = div_up(tiles, chunks), .strip_panels = strip_panels, .chunks_stay = false};
}

std::span<const ProductKernel* const> product_kernels() {
  static const std::vector<const ProductKernel*> all = [] {
    std::vector<const ProductKernel*> list;
    for (const auto kernels : {amx_product_kernels(), dot_product_kernels(), vector_product_kernels()})
      list.insert(list.end(), kernels.begin(), kernels.end());
    return list;
  }();
  return all;
}

const ProductKernel& choose_product_kernel(Precision precision, DType dtype, Isa limit) {
  const CpuFeatures& cpu = cpu_features();
  const auto all = product_kernels();
  const auto it = std::ranges::find_if(all, [&](const ProductKernel* kernel) {
    return kernel->isa <= limit && cpu.has(kernel->isa) && kernel->runs_on(cpu) && kernel->serves(precision, dtype);
  });
  RAMET_ASSERT(it != all.end(), name(precision), name(limit));
  return **it;
}

}  // namespace ramet::ops
