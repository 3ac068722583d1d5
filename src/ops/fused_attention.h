// fused_attention: what Attention (attention.h) is in the tuned executor.
//
//   y[t, h*head_dim + j] = (sum_s p[s] v[s, g, j]) / (sum_s p[s])     p[s] = exp(scale * (q[t,h] . k[s,g] - max))
//
// Both sums of products are those of a product kernel (product_kernel.h), which says what of q, k, p and v is rounded;
// p lies in 0..1 before it is; where it is, exp is within 2e-4. The rest is float32. Work is shared out by segment,
// head and block of rows; which rows share a block changes no bit.
#pragma once

#include "ops/attention.h"
#include "ops/product_kernel.h"
#include "ops/softmax_row.h"

namespace ramet::ops {

struct FusedAttention {
  const ProductKernel* kernel;
  const Attention* op;
  const ProductKernel* reader = nullptr;  // y [tokens, num_heads * head_dim] is written as its lines (product.h)

  int64_t scratch_bytes(Operands in, int threads) const;
  void run(Stream& stream, Operands in, View y) const;
};

}  // namespace ramet::ops
