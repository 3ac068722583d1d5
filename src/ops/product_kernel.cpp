#include "ops/product_kernel.h"

#include "base/assert.h"
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
