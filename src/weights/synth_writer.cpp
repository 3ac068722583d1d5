#include "weights/synth_writer.h"

#include "tensor/buffer.h"
#include "weights/checkpoint_index.h"
#include "weights/sha256.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace ramet {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kChunkElements = 1 << 21;  // written at once
constexpr int64_t kPieceElements = 1 << 15;  // computed at once by one thread; fits a cache
constexpr int64_t kMaxElementBytes = 4;

using Shard = std::vector<const ListedTensor*>;

std::vector<Shard> split_into_shards(std::span<const ListedTensor> tensors, uint64_t max_bytes) {
  std::vector<Shard> shards(1);
  uint64_t filled = 0;
  for (const ListedTensor& tensor : tensors) {
    if (!shards.back().empty() && filled + tensor.spec.bytes() > max_bytes) {
      shards.emplace_back();
      filled = 0;
    }
    shards.back().push_back(&tensor);
    filled += tensor.spec.bytes();
  }
  return shards;
}

void sort_for_file(Shard& shard) {
  std::ranges::sort(shard, {}, [](const ListedTensor* t) {
    return std::pair(-size_bytes(t->spec.dtype), std::string_view(t->spec.name));
  });
}

std::string shard_name(size_t index, size_t count) {
  if (count == 1) return std::string(kSingleFile);
  return fmt::format("model-{:05}-of-{:05}.safetensors", index + 1, count);
}

uint64_t total_bytes(std::span<const ListedTensor> tensors) {
  uint64_t total = 0;
  for (const ListedTensor& tensor : tensors) total += tensor.spec.bytes();
  return total;
}

Status check_free_space(const fs::path& directory, uint64_t needed) {
  std::error_code error;
  const fs::space_info space = fs::space(directory, error);
  if (error || space.available >= needed) return {};
  return fail(Code::no_resource, directory.string(), fmt::format("{} bytes of free space", needed),
              std::to_string(space.available));
}

// A run of elements of one tensor.
struct Chunk {
  const ListedTensor* tensor;
  int64_t first, count;

  bool ends_tensor() const { return first + count == tensor->spec.shape.elements(); }
  size_t bytes() const { return static_cast<size_t>(count * size_bytes(tensor->spec.dtype)); }
};

std::vector<Chunk> chunks_of(const Shard& shard) {
  std::vector<Chunk> chunks;
  for (const ListedTensor* tensor : shard)
    for (int64_t first = 0; first < tensor->spec.shape.elements(); first += kChunkElements)
      chunks.push_back({tensor, first, std::min(kChunkElements, tensor->spec.shape.elements() - first)});
  return chunks;
}

int64_t pieces_of(const Chunk& chunk) { return (chunk.count + kPieceElements - 1) / kPieceElements; }

void fill_piece(const SynthTensor& values, const Chunk& chunk, int64_t piece, std::span<std::byte> out) {
  const int64_t begin = piece * kPieceElements;
  const int64_t end = std::min(begin + kPieceElements, chunk.count);
  const int64_t width = size_bytes(chunk.tensor->spec.dtype);
  values.fill(chunk.first + begin,
              out.subspan(static_cast<size_t>(begin * width), static_cast<size_t>((end - begin) * width)));
}

class ShardWriter {
 public:
  ShardWriter(SafetensorsWriter file, const std::string& list_name, SynthReport& report)
      : file_(std::move(file)), list_name_(list_name), report_(report) {}

  Status write(const Chunk& chunk, std::span<const std::byte> bytes) {
    report_.bytes += bytes.size();
    RAMET_TRY_STATUS(file_.write(bytes));
    return chunk.tensor->hash.empty() ? Status{} : check_hash(chunk, bytes);
  }
  Status finish() { return file_.finish(); }

 private:
  Status check_hash(const Chunk& chunk, std::span<const std::byte> bytes) {
    hash_.update(bytes);
    if (!chunk.ends_tensor()) return {};
    ++report_.hashes_checked;
    const std::string found = hash_.finish().substr(0, chunk.tensor->hash.size());
    if (found == chunk.tensor->hash) return {};
    return fail(Code::invalid_file, fmt::format("{}: {}", list_name_, chunk.tensor->spec.name),
                fmt::format("the hash {} of the synthetic tensor", found), chunk.tensor->hash,
                "are seed, profile and shape those of the list?");
  }

  SafetensorsWriter file_;
  const std::string& list_name_;
  SynthReport& report_;
  Sha256 hash_;
};

class Synthesizer {
 public:
  static Result<Synthesizer> make(const SynthOptions& options, ThreadPool& pool, uint64_t total) {
    Synthesizer result(options, pool, total);
    for (Buffer& buffer : result.buffers_) {
      RAMET_TRY(buffer, Buffer::make(DType::u8, {kChunkElements * kMaxElementBytes}));
    }
    return result;
  }

  // While the pool fills one buffer, one of its threads writes the other, which holds the chunk before.
  Status write(const std::vector<Chunk>& chunks, ShardWriter& writer, const SynthReport& report) {
    for (size_t i = 0; i <= chunks.size(); ++i) {
      Status written;
      const auto write_previous = [&] {
        if (i > 0) written = writer.write(chunks[i - 1], bytes_of(chunks[i - 1], i - 1));
      };
      if (i < chunks.size())
        fill(chunks[i], bytes_of(chunks[i], i), write_previous);
      else
        write_previous();
      RAMET_TRY_STATUS(written);
      if (options_->progress) options_->progress(report.bytes, total_);
    }
    return {};
  }

 private:
  Synthesizer(const SynthOptions& options, ThreadPool& pool, uint64_t total)
      : options_(&options), pool_(&pool), total_(total) {}

  template <class Beside>
  void fill(const Chunk& chunk, std::span<std::byte> out, const Beside& beside) {
    const SynthTensor values(chunk.tensor->spec, options_->seed);
    pool_->run(1 + pieces_of(chunk), [&](int64_t item) {
      if (item == 0)
        beside();
      else
        fill_piece(values, chunk, item - 1, out);
    });
  }

  std::span<std::byte> bytes_of(const Chunk& chunk, size_t index) {
    return {buffers_[index % buffers_.size()].view().bytes(), chunk.bytes()};
  }

  const SynthOptions* options_;
  ThreadPool* pool_;
  uint64_t total_;
  std::array<Buffer, 2> buffers_;
};

std::vector<TensorSpec> specs_of(const Shard& shard) {
  std::vector<TensorSpec> specs;
  for (const ListedTensor* tensor : shard) specs.push_back(tensor->spec);
  return specs;
}

CheckpointIndex index_of(const std::vector<Shard>& shards, uint64_t total) {
  CheckpointIndex index{.file_of = {}, .total_bytes = total};
  for (size_t i = 0; i < shards.size(); ++i)
    for (const ListedTensor* tensor : shards[i]) index.file_of[tensor->spec.name] = shard_name(i, shards.size());
  return index;
}

}  // namespace

Result<SynthReport> write_synthetic(std::span<const ListedTensor> tensors, const std::string& list_name,
                                    const fs::path& directory, const SynthOptions& options, ThreadPool& pool) {
  const uint64_t total = total_bytes(tensors);
  RAMET_TRY_STATUS(check_free_space(directory, total));
  RAMET_TRY(Synthesizer synthesizer, Synthesizer::make(options, pool, total));
  std::vector<Shard> shards = split_into_shards(tensors, options.max_shard_bytes);
  SynthReport report{.tensors = static_cast<int64_t>(tensors.size())};
  for (size_t i = 0; i < shards.size(); ++i) {
    sort_for_file(shards[i]);
    const fs::path path = directory / shard_name(i, shards.size());
    RAMET_TRY(SafetensorsWriter file, SafetensorsWriter::create(path, specs_of(shards[i])));
    ShardWriter writer(std::move(file), list_name, report);
    RAMET_TRY_STATUS(synthesizer.write(chunks_of(shards[i]), writer, report));
    RAMET_TRY_STATUS(writer.finish());
  }
  if (shards.size() > 1) RAMET_TRY_STATUS(write_file(directory / kIndexFile, to_json(index_of(shards, total))));
  return report;
}

}  // namespace ramet
