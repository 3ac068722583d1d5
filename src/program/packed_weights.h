// The matrices of a model as the kernels of the tuned executor want them, made once and shared by all its programs.
//
//   const size_t index = weights.want({...});        while programs are planned; the same matrix gets the same index
//   RAMET_TRY_STATUS(weights.prepare(pool));         packs what is wanted and new, or finds it in the cache
//   weights.matrix(index);
//
// With a cache the first prepare maps the file of the last start, or makes it. One that is stale, damaged or far from
// complete is made again; a disk without room costs the cache and nothing else. Each is told to `log`.
//
// A run reads every matrix from end to end, which small pages slow down by a tenth and more. Files are mapped in small
// pages, so settle() has them copied into huge ones, by a thread of its own while runs go on; not where memory is
// short, for a mapped file can be dropped and read again, a copy cannot.
#pragma once

#include "base/pages.h"
#include "base/thread_pool.h"
#include "ops/product.h"
#include "weights/blob_file.h"

#include <ramet/error.h>
#include <ramet/types.h>

#include <map>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace ramet {

struct WeightCache {
  std::filesystem::path file;
  std::string identity;                    // what the weights are made from
  int64_t from_bytes = int64_t{64} << 20;  // less is packed sooner than a file is looked at
};

class PackedWeights {
 public:
  static constexpr size_t kNone = static_cast<size_t>(-1);

  struct Request {
    std::string label;         // tells the matrix from all others of the checkpoint
    ops::StoredMatrix matrix;  // in the checkpoint, which is read no more after prepare
    const ops::ProductKernel* kernel;

    int64_t bytes() const { return ops::packed_bytes(*kernel, matrix.in(), matrix.out()); }
    std::string name() const;  // in the cache
  };

  void use_cache(WeightCache cache) { cache_ = std::move(cache); }
  void sources_are_mapped() { sources_are_mapped_ = true; }  // from files: their pages are given back once packed
  bool have_mapped_sources() const { return sources_are_mapped_; }
  void report_to(Log log, Progress progress);

  size_t want(Request request);
  Status prepare(ThreadPool& pool);

  void settle();  // does nothing the second time
  void wait_until_settled();

  ops::PackedMatrix matrix(size_t index) const;  // asserts that it is prepared
  int64_t wanted_bytes() const;                  // of all that was wanted, prepared or not
  int64_t bytes() const { return bytes_; }       // of all that is prepared

 private:
  struct Entry {
    Request request;
    const std::byte* panels = nullptr;
    bool is_mapped = false;  // in the cache file
  };

  std::vector<Entry*> missing();
  void map_cache(ThreadPool& pool);
  Status pack_missing(ThreadPool& pool);
  bool pack_into_cache(const std::vector<Entry*>& entries, ThreadPool& pool);
  template <class Place>
  void pack(const std::vector<Entry*>& entries, ThreadPool& pool, const Place& place);
  void tell(const std::string& line) const;

  std::vector<Entry> entries_;
  std::map<std::pair<const std::byte*, std::string>, size_t> index_;  // by weight and name
  std::optional<WeightCache> cache_;                                  // until it was looked at
  std::optional<BlobFile> mapped_;
  std::optional<BlobFileWriter> written_;
  std::vector<Pages> memory_;
  bool sources_are_mapped_ = false;
  Log log_;
  Progress progress_;
  int64_t bytes_ = 0;
  bool is_settled_ = false;  // or about to be
  std::jthread settling_;    // ends before what it moves
};

}  // namespace ramet
