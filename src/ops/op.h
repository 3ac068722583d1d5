// What the ops of a program have in common.
//
// An op is a plain struct that holds its attributes and has
//
//   static constexpr std::string_view kName;
//   Shape output_shape(Operands) const;              the result's shape; asserts what the formula needs of the operands
//   int64_t scratch_bytes(Operands, int threads) const;  only where the op wants memory beside its operands
//   void reference(Stream&, Operands, View y) const; the oracle: float32, sums in a fixed order, same bits for any
//                                                    number of threads, no allocation
//   void run(Stream&, Operands, View y) const;         only where the tuned executor has a faster kernel: vectors of
//                                                    stream.isa, the same bits for any number of threads
//
// Operands keep the order of the formula in each header; optional ones come last and are left out. When a program is
// recorded the views carry dtype, shape and strides but no data. The result y is dense float32 and overlaps no operand.
// Mistakes here are ours, not the user's: shapes were checked when weights and inputs came in.
#pragma once

#include "device/stream.h"
#include "tensor/view.h"

#include <span>
#include <string_view>

namespace ramet::ops {

using Operands = std::span<const ConstView>;

}  // namespace ramet::ops
