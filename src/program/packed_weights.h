// The matrices of a model as the kernels of the tuned executor want them, made once and shared by all its programs.
//
//   const size_t index = weights.want({...});        while programs are planned; the same matrix gets the same index
//   RAMET_TRY_STATUS(weights.prepare(pool));         packs what was wanted since the last time
//   weights.matrix(index);
#pragma once

#include "base/thread_pool.h"
#include "ops/product.h"
#include "tensor/buffer.h"

#include <ramet/error.h>

#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace ramet {

class PackedWeights {
 public:
  static constexpr size_t kNone = static_cast<size_t>(-1);

  struct Request {
    std::string label;  // tells the matrix from all others of the checkpoint
    ConstView weight;   // in the checkpoint, which outlives the packed ones only until prepare
    bool out_in;        // stored [out, in], else [in, out]
    const ops::ProductKernel* kernel;

    int64_t in() const { return weight.shape()[out_in ? 1 : 0]; }
    int64_t out() const { return weight.shape()[out_in ? 0 : 1]; }
    int64_t bytes() const { return ops::packed_bytes(*kernel, in(), out()); }
  };

  size_t want(Request request);
  Status prepare(ThreadPool& pool);

  ops::PackedMatrix matrix(size_t index) const;  // asserts that it is prepared
  int64_t bytes() const { return bytes_; }       // of all that is prepared

 private:
  struct Entry {
    Request request;
    const std::byte* panels = nullptr;
  };

  std::vector<Entry> entries_;
  std::map<std::tuple<const std::byte*, const ops::ProductKernel*, bool>, size_t> index_;
  std::vector<Buffer> memory_;
  int64_t bytes_ = 0;
};

}  // namespace ramet
