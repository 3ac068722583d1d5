#include "policy/text/merge_table.h"

#include "base/assert.h"

#include <bit>

namespace ramet {

MergeTable::MergeTable(size_t rules) {
  const size_t slots = std::bit_ceil(4 * rules / 3 + 2);
  shift_ = 64 - std::countr_zero(slots);
  slots_.resize(slots);
}

void MergeTable::insert(uint32_t left, uint32_t right, uint32_t joined) {
  Slot& slot = slots_[slot_of(left, right)];
  if (slot.joined == kNoToken) slot = {left, right, joined};
}

}  // namespace ramet
