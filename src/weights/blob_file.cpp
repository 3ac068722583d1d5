#include "weights/blob_file.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <nlohmann/json.hpp>
#include <numeric>

namespace ramet {
namespace {

constexpr auto kIdentity = "identity";
constexpr auto kChecksums = "checksums";
constexpr size_t kAlignment = 64;

size_t aligned(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

uint64_t checksum(std::span<const std::byte> bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

// Header and the length before it, as long as a multiple of kAlignment.
std::string make_header(const std::vector<BlobSpec>& tensors) {
  nlohmann::ordered_json header;
  size_t offset = 0;
  for (const BlobSpec& tensor : tensors) {
    const size_t end = offset + aligned(static_cast<size_t>(tensor.bytes));
    header[tensor.name] = {{"dtype", "U8"}, {"shape", {end - offset}}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = header.dump();
  text.resize(aligned(sizeof(uint64_t) + text.size()) - sizeof(uint64_t), ' ');
  const uint64_t size = text.size();
  return std::string(reinterpret_cast<const char*>(&size), sizeof(size)) + text;
}

bool is_blob(const SafetensorsEntry& entry) { return entry.name != kIdentity && entry.name != kChecksums; }

}  // namespace

Result<BlobFile> BlobFile::open(const std::filesystem::path& path, std::string_view identity) {
  RAMET_TRY(SafetensorsFile file, SafetensorsFile::open(path));
  const SafetensorsEntry* stored = file.find(kIdentity);
  const SafetensorsEntry* checksums = file.find(kChecksums);
  const auto blobs = static_cast<size_t>(std::ranges::count_if(file.entries(), is_blob));
  if (stored == nullptr || checksums == nullptr || checksums->bytes.size() != aligned(blobs * sizeof(uint64_t)))
    return fail(Code::invalid_file, path.string(), "identity and checksums", "neither, or of another number of blobs");
  const std::string_view text(reinterpret_cast<const char*>(stored->bytes.data()), stored->bytes.size());
  if (text.substr(0, identity.size()) != identity || text.find_first_not_of(' ', identity.size()) != text.npos)
    return fail(Code::invalid_value, path.string(), "blobs of the present weights", "those of others");
  return BlobFile(std::move(file));
}

Status BlobFile::verify(ThreadPool& pool) const {
  std::vector<const SafetensorsEntry*> blobs;
  for (const SafetensorsEntry& entry : file_.entries())
    if (is_blob(entry)) blobs.push_back(&entry);
  const std::byte* expected = file_.find(kChecksums)->bytes.data();
  std::atomic<size_t> damaged{blobs.size()};
  pool.run(static_cast<int64_t>(blobs.size()), [&](int64_t i) {
    uint64_t wanted = 0;
    std::memcpy(&wanted, expected + i * static_cast<int64_t>(sizeof(wanted)), sizeof(wanted));
    if (checksum(blobs[static_cast<size_t>(i)]->bytes) != wanted) damaged = static_cast<size_t>(i);
  });
  if (damaged == blobs.size()) return {};
  return fail(Code::invalid_file, fmt::format("{}: {}", file_.name(), blobs[damaged]->name),
              "bytes as they were written", "others");
}

std::span<const std::byte> BlobFile::find(std::string_view name) const {
  const SafetensorsEntry* entry = file_.find(name);
  return entry == nullptr ? std::span<const std::byte>{} : entry->bytes;
}

Result<BlobFileWriter> BlobFileWriter::create(const std::filesystem::path& path, std::string_view identity,
                                              std::vector<BlobSpec> specs) {
  BlobFileWriter writer;
  std::vector<BlobSpec> tensors = specs;
  tensors.push_back({kIdentity, static_cast<int64_t>(identity.size())});
  tensors.push_back({kChecksums, static_cast<int64_t>(specs.size() * sizeof(uint64_t))});
  const std::string header = make_header(tensors);
  size_t offset = header.size();
  for (const BlobSpec& tensor : tensors) {
    writer.offsets_.push_back(offset);
    offset += aligned(static_cast<size_t>(tensor.bytes));
  }
  RAMET_TRY(writer.pages_, Pages::new_file(path, offset));
  std::byte* data = writer.pages_.bytes().data();
  std::memcpy(data, header.data(), header.size());
  std::byte* text = data + writer.offsets_[specs.size()];
  std::memset(text, ' ', aligned(identity.size()));
  std::memcpy(text, identity.data(), identity.size());
  writer.checksums_ = writer.offsets_.back();
  writer.specs_ = std::move(specs);
  return writer;
}

Status BlobFileWriter::commit(ThreadPool& pool) {
  std::vector<size_t> by_name(specs_.size());
  std::iota(by_name.begin(), by_name.end(), size_t{0});
  std::ranges::sort(by_name, {}, [&](size_t i) -> const std::string& { return specs_[i].name; });
  std::byte* checksums = pages_.bytes().data() + checksums_;
  pool.run(static_cast<int64_t>(by_name.size()), [&](int64_t i) {
    const size_t index = by_name[static_cast<size_t>(i)];
    const uint64_t sum = checksum({blob(index), aligned(static_cast<size_t>(specs_[index].bytes))});
    std::memcpy(checksums + i * static_cast<int64_t>(sizeof(sum)), &sum, sizeof(sum));
  });
  return pages_.commit();
}

}  // namespace ramet
