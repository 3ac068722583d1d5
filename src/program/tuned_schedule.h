// The schedule of the tuned executor: fused products with packed weights, vector kernels for the rest.
#pragma once

#include "device/isa.h"
#include "ops/kernel_ranking.h"
#include "program/precision.h"
#include "program/schedule.h"

namespace ramet {

class PackedWeights;

struct Tuning {
  PrecisionTable precision;
  Isa isa = Isa::scalar;
  PackedWeights* weights = nullptr;  // shared by the programs of one model
  ops::KernelRanking ranking = {};

  const ops::ProductKernel& kernel(ops::Precision wanted, DType weight) const {
    return ops::choose_product_kernel(wanted, weight, isa, ranking);
  }
};

// Asks `tuning.weights` for what it needs; PackedWeights::prepare comes before the steps are bound.
Schedule tuned_schedule(const Program& program, const std::vector<Value>& kept, int threads, const Tuning& tuning);

struct Site {
  std::string name;
  std::vector<int64_t> shape;  // of the weight, [out, in]; empty: attention
};
// The sites of the products of a program, each once, in recorded order.
std::vector<Site> sites_of(const Program& program);
std::vector<std::string> site_names(const Program& program);

}  // namespace ramet
