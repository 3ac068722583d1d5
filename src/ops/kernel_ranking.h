// Which product kernels are the fastest on this machine: measured once, kept in a file.
//
// It must be measured: products of pairs of bf16 (vdpbf16ps) are half as fast as float32 on Intel, twice as fast on
// AMD.
#pragma once

#include "ops/product_kernel.h"

#include <ramet/error.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace ramet::ops {

class KernelRanking {
 public:
  KernelRanking() = default;  // nothing measured: the order of product_kernels()

  // Whether two kernels up to `limit` do the same: else there is nothing to rank.
  static bool is_needed(Isa limit);

  // Times every kernel that this machine has above `scalar`, a few milliseconds each, on one thread.
  static KernelRanking measure();
  static KernelRanking of(std::map<std::string, double, std::less<>> seconds);

  // Seconds for the product of the measurement, if it was measured.
  std::optional<double> seconds(const ProductKernel& kernel) const;
  bool covers_this_machine() const;  // all kernels that measure() times

  // A ranking belongs to a processor: one that was measured on another model, or with other kernels, is an error.
  static Result<KernelRanking> read(const std::filesystem::path& file, std::string_view cpu_model);
  Status write(const std::filesystem::path& file, std::string_view cpu_model) const;

 private:
  std::map<std::string, double, std::less<>> seconds_;
};

// The ranking in `file`; where there is none that serves, it is measured and written. `problem` tells what was wrong
// with the file, or that it could not be written; a file that is not there is no problem.
struct LoadedRanking {
  KernelRanking ranking;
  bool measured = false;
  std::optional<Error> problem;
};
LoadedRanking load_kernel_ranking(const std::filesystem::path& file);

// Like choose_product_kernel of product_kernel.h, but the fastest one by `ranking`. A kernel must beat the ones listed
// before it by a twentieth, and may not store more bytes for a weight than the first of the list would.
const ProductKernel& choose_product_kernel(Precision precision, DType dtype, Isa limit, const KernelRanking& ranking);

}  // namespace ramet::ops
