#include "policy/text/spelling_index.h"

#include <bit>
#include <functional>

namespace ramet {
namespace {

size_t hash_of(std::string_view spelling) { return std::hash<std::string_view>()(spelling); }

}  // namespace

SpellingIndex::SpellingIndex(const Vocabulary& vocabulary)
    : vocabulary_(&vocabulary), slots_(std::bit_ceil(2 * vocabulary.size() + 1)) {}

size_t SpellingIndex::slot_of(std::string_view spelling, size_t hash) const {
  const size_t mask = slots_.size() - 1;
  size_t i = hash & mask;
  while (slots_[i].id != kNoToken &&
         (slots_[i].hash != static_cast<uint32_t>(hash >> 32) || vocabulary_->spelling(slots_[i].id) != spelling))
    i = (i + 1) & mask;
  return i;
}

uint32_t SpellingIndex::insert(uint32_t id) {
  const std::string_view spelling = vocabulary_->spelling(id);
  const size_t hash = hash_of(spelling);
  Slot& slot = slots_[slot_of(spelling, hash)];
  if (slot.id == kNoToken) slot = {static_cast<uint32_t>(hash >> 32), id};
  return slot.id;
}

uint32_t SpellingIndex::find(std::string_view spelling) const {
  return slots_[slot_of(spelling, hash_of(spelling))].id;
}

}  // namespace ramet
