// Matrices of a checkpoint as the kernels of products want them.
#pragma once

#include "base/thread_pool.h"
#include "ops/linear.h"
#include "ops/product_kernel.h"
#include "tensor/view.h"

namespace ramet::ops {

// W as a checkpoint has it; float32, bf16 or f16. Where columns of x come in equal copies, W is packed as the float32
// sum of those of its columns that meet the same one, in ascending order: sum_i x w_i = x sum_i w_i.
struct StoredMatrix {
  ConstView weight;
  Linear::Layout layout = Linear::Layout::out_in;
  ColumnCopies copies = {};

  DType dtype() const { return copies.count == 1 ? weight.dtype() : DType::f32; }  // that holds what is packed exactly
  int64_t stored_in() const { return weight.shape()[layout == Linear::Layout::out_in ? 1 : 0]; }
  int64_t in() const { return stored_in() / copies.count; }
  int64_t out() const { return weight.shape()[layout == Linear::Layout::out_in ? 0 : 1]; }
};

struct PackedMatrix {
  const std::byte* panels = nullptr;
  int64_t in = 0, out = 0;
};

// Changes whenever a kernel packs differently: weights packed by another version are not taken.
inline constexpr int kPackedLayout = 2;

// Bytes of W [out, in] as `kernel` packs it.
int64_t packed_bytes(const ProductKernel& kernel, int64_t in, int64_t out);

// Panels are shared out among the threads.
void pack_matrix(ThreadPool& pool, const ProductKernel& kernel, const StoredMatrix& w, std::byte* packed);

}  // namespace ramet::ops
