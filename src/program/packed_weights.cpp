#include "program/packed_weights.h"

#include "base/assert.h"
#include "device/memory.h"
#include "ops/operand.h"

#include <fmt/format.h>

#include <algorithm>

namespace ramet {
namespace {

constexpr int64_t kSpareBytes = int64_t{1} << 30;  // that settling leaves to others

using ops::aligned;

template <class Entries>
int64_t total_bytes(const Entries& entries) {
  int64_t total = 0;
  for (const auto* entry : entries) total += aligned(entry->request.bytes());
  return total;
}

}  // namespace

std::string PackedWeights::Request::name() const {
  std::string name = fmt::format("{}|{}", label, kernel->name);
  if (matrix.layout == ops::Linear::Layout::in_out) name += "|in_out";
  if (matrix.copies.count > 1) name += fmt::format("|copies {}x{}", matrix.copies.count, matrix.copies.width);
  return name;
}

void PackedWeights::report_to(Log log, Progress progress) {
  log_ = std::move(log);
  progress_ = std::move(progress);
}

void PackedWeights::tell(const std::string& line) const {
  if (log_) log_(line);
}

size_t PackedWeights::want(Request request) {
  const auto [it, is_new] = index_.try_emplace({request.matrix.weight.bytes(), request.name()}, entries_.size());
  if (is_new) entries_.push_back({.request = std::move(request)});
  return it->second;
}

std::vector<PackedWeights::Entry*> PackedWeights::missing() {
  std::vector<Entry*> entries;
  for (Entry& entry : entries_)
    if (entry.panels == nullptr) entries.push_back(&entry);
  return entries;
}

Status PackedWeights::prepare(ThreadPool& pool) {
  if (cache_ && total_bytes(missing()) >= cache_->from_bytes) map_cache(pool);
  RAMET_TRY_STATUS(pack_missing(pool));
  bytes_ = wanted_bytes();
  return {};
}

int64_t PackedWeights::wanted_bytes() const {
  int64_t total = 0;
  for (const Entry& entry : entries_) total += aligned(entry.request.bytes());
  return total;
}

// What the file has in the right size is taken; the sizes follow from shapes and kernels, which the identity holds. One
// that lacks much (it was made for a tower alone, say) is made again, with everything.
void PackedWeights::map_cache(ThreadPool& pool) {
  std::error_code error;
  if (!std::filesystem::exists(cache_->file, error)) return;
  auto file = BlobFile::open(cache_->file, cache_->identity);
  const Status sound = file ? file->verify(pool) : Status(tl::unexpected(file.error()));
  if (!sound) return tell("event=packed_weights_rebuilt reason=\"" + sound.error().message() + "\"");
  const std::vector<Entry*> wanted = missing();
  for (Entry* entry : wanted) {
    const std::span<const std::byte> blob = file->find(entry->request.name());
    if (static_cast<int64_t>(blob.size()) == aligned(entry->request.bytes()))
      entry->panels = blob.data(), entry->is_mapped = true;
  }
  const int64_t lacking = total_bytes(missing());
  if (lacking > 0 && lacking >= cache_->from_bytes) {
    for (Entry* entry : wanted) entry->panels = nullptr, entry->is_mapped = false;
    return tell(fmt::format("event=packed_weights_rebuilt reason=\"the file lacks {} bytes\"", lacking));
  }
  mapped_ = std::move(*file);
  cache_.reset();
}

Status PackedWeights::pack_missing(ThreadPool& pool) {
  const std::vector<Entry*> entries = missing();
  const int64_t total = total_bytes(entries);
  if (total == 0 || (cache_ && total >= cache_->from_bytes && pack_into_cache(entries, pool))) return {};
  RAMET_TRY(Pages memory, Pages::anonymous(static_cast<size_t>(total)));
  std::byte* next = memory.bytes().data();
  pack(entries, pool, [&](size_t i) { return std::exchange(next, next + aligned(entries[i]->request.bytes())); });
  memory_.push_back(std::move(memory));
  return {};
}

bool PackedWeights::pack_into_cache(const std::vector<Entry*>& entries, ThreadPool& pool) {
  const WeightCache cache = std::move(*cache_);
  cache_.reset();
  const auto give_up = [&](const Error& error) {
    tell("event=packed_weights_not_kept reason=\"" + error.message() + "\"");
    return false;
  };
  std::vector<BlobSpec> specs;
  for (const Entry* entry : entries) specs.push_back({entry->request.name(), entry->request.bytes()});
  std::error_code error;
  std::filesystem::create_directories(cache.file.parent_path(), error);
  auto writer = BlobFileWriter::create(cache.file, cache.identity, std::move(specs));
  if (!writer) return give_up(writer.error());
  written_ = std::move(*writer);
  pack(entries, pool, [&](size_t i) { return written_->blob(i); });
  for (Entry* entry : entries) entry->is_mapped = true;
  if (const Status committed = written_->commit(pool); !committed) give_up(committed.error());
  return true;
}

template <class Place>
void PackedWeights::pack(const std::vector<Entry*>& entries, ThreadPool& pool, const Place& place) {
  for (size_t i = 0; i < entries.size(); ++i) {
    const Request& r = entries[i]->request;
    std::byte* panels = place(i);
    ops::pack_matrix(pool, *r.kernel, r.matrix, panels);
    const ConstView& source = r.matrix.weight;
    if (sources_are_mapped_) release_pages({source.bytes(), static_cast<size_t>(source.size_bytes())});
    entries[i]->panels = panels;
    if (progress_) progress_("packing weights", static_cast<double>(i + 1) / static_cast<double>(entries.size()));
  }
}

void PackedWeights::settle() {
  if (is_settled_) return;
  const std::byte *begin = nullptr, *end = nullptr;
  for (const Entry& entry : entries_) {
    if (!entry.is_mapped) continue;
    const std::byte* past = entry.panels + aligned(entry.request.bytes());
    begin = begin == nullptr ? entry.panels : std::min(begin, entry.panels);
    end = end == nullptr ? past : std::max(end, past);
  }
  if (begin == nullptr) return;
  is_settled_ = true;
  const std::span<const std::byte> all(begin, end);
  if (available_memory() < static_cast<int64_t>(all.size()) + kSpareBytes) return;
  settling_ = std::jthread([all](const std::stop_token& stop) { move_to_huge_pages(all, stop); });
}

void PackedWeights::wait_until_settled() {
  if (settling_.joinable()) settling_.join();
}

ops::PackedMatrix PackedWeights::matrix(size_t index) const {
  const Entry& entry = entries_[index];
  RAMET_ASSERT(entry.panels != nullptr, entry.request.label);
  return {.panels = entry.panels, .in = entry.request.matrix.in(), .out = entry.request.matrix.out()};
}

}  // namespace ramet
