// Writes synthetic weights as a published checkpoint stores them.
//
// Tensors fill shards in the order of the list, a new one when the next tensor would pass max_shard_bytes. One shard is
// model.safetensors; several are model-0000K-of-0000N.safetensors and an index. Within a file, wider types come first,
// then names in order, as the original library writes them. Files appear whole or not at all.
//
// Values are computed by all threads of the pool while one of them hashes and writes what is done.
//
// Errors: no_resource (disk full, permission), invalid_file (a tensor's hash is not the one listed).
#pragma once

#include "base/thread_pool.h"
#include "weights/synth.h"
#include "weights/tensor_list.h"

#include <ramet/error.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>

namespace ramet {

using SynthProgress = std::function<void(uint64_t done_bytes, uint64_t total_bytes)>;

struct SynthOptions {
  SynthSeed seed{};
  uint64_t max_shard_bytes = 5'000'000'000;  // what transformers' save_pretrained takes
  SynthProgress progress{};                  // may be empty; called every few megabytes
};

struct SynthReport {
  int64_t tensors = 0;
  uint64_t bytes = 0;
  int64_t hashes_checked = 0;
};

// Hashes of the list, where given, are checked. `list_name` stands for the list in errors.
Result<SynthReport> write_synthetic(std::span<const ListedTensor> tensors, const std::string& list_name,
                                    const std::filesystem::path& directory, const SynthOptions& options,
                                    ThreadPool& pool);

}  // namespace ramet
