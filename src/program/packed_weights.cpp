#include "program/packed_weights.h"

#include "base/assert.h"

#include <algorithm>

namespace ramet {
namespace {

int64_t aligned(int64_t bytes) { return (bytes + 63) / 64 * 64; }

}  // namespace

size_t PackedWeights::want(Request request) {
  const auto [it, is_new] =
      index_.try_emplace({request.weight.bytes(), request.kernel, request.out_in}, entries_.size());
  if (is_new) entries_.push_back({.request = std::move(request)});
  return it->second;
}

Status PackedWeights::prepare(ThreadPool& pool) {
  int64_t total = 0;
  for (const Entry& entry : entries_)
    if (entry.panels == nullptr) total += aligned(entry.request.bytes());
  if (total == 0) return {};
  RAMET_TRY(Buffer memory, Buffer::make(DType::u8, Shape{total}));
  std::byte* next = memory.view().bytes();
  for (Entry& entry : entries_) {
    if (entry.panels != nullptr) continue;
    const Request& r = entry.request;
    ops::pack_matrix(pool, *r.kernel, r.weight, r.out_in, next);
    entry.panels = next;
    next += aligned(r.bytes());
  }
  bytes_ += total;
  memory_.push_back(std::move(memory));
  return {};
}

ops::PackedMatrix PackedWeights::matrix(size_t index) const {
  const Entry& entry = entries_[index];
  RAMET_ASSERT(entry.panels != nullptr, entry.request.label);
  return {.panels = entry.panels, .in = entry.request.in(), .out = entry.request.out()};
}

}  // namespace ramet
