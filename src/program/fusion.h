// Finds the matrix products of a program and the nodes around each that one step can compute with it.
//
//   norm -> linear -> activation -> (* linear') -> (+ residual)
//
// A node is taken in only if nothing else reads what it makes and nobody asked to see it: fused or not, the bits of
// everything that remains are the same. Products of one stage that read the same rows (or the same copies of columns)
// through the same norm and use the same kernel are one group (q, k and v; keys and values of all cross attentions over
// one context); a residual must be known before the group starts.
#pragma once

#include "ops/product_kernel.h"
#include "program/schedule.h"

#include <functional>
#include <optional>
#include <vector>

namespace ramet {

// Of the columns of x, where they come in equal copies.
inline ops::ColumnCopies copies_of(const Program::Node& linear) { return std::get<ops::Linear>(linear.op).copies; }

struct FusedPart {
  const Program::Node* linear = nullptr;
  const Program::Node* gated = nullptr;  // the linear whose result the activated one is multiplied with
  std::optional<ops::Activation::Kind> f;
  Value residual;  // not valid: none
  Value output;    // of the last node taken in
};

struct FusedGroup {
  Value x;                              // the rows that are read: those of the norm where there is one
  const Program::Node* norm = nullptr;  // layer_norm, ada_layer_norm or rms_norm
  const ops::ProductKernel* kernel = nullptr;
  std::vector<FusedPart> parts;
  size_t position = 0;  // of the first node in the program: where the group runs
};

using ChooseKernel = std::function<const ops::ProductKernel*(const Program::Node& linear)>;

struct Fusion {
  std::vector<FusedGroup> groups;  // ascending by position
  std::vector<bool> taken;         // by node: part of a group
  // By value that owns memory: the kernel for which it holds lines instead of floats, because the products of one group
  // are all that reads it (product.h, may_write_lines); null for most.
  std::vector<const ops::ProductKernel*> lines_for;
};

// `kept` as for find_node_use; hoisted and dead nodes stay out.
Fusion fuse(const Program& program, const NodeUse& use, const std::vector<Value>& kept, const ChooseKernel& choose);

}  // namespace ramet
