// The merge rules of a byte-pair vocabulary: (left id, right id) -> id of the joined token.
//
// The id is the rank as well: rule i makes token 256 + i, and a lower id merges first.
// Open addressing in one flat array, at most three quarters full.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ramet {

inline constexpr uint32_t kNoToken = 0xFFFFFFFF;

class MergeTable {
 public:
  explicit MergeTable(size_t rules = 0);  // room for so many

  void insert(uint32_t left, uint32_t right, uint32_t joined);  // the first rule of a pair stays
  uint32_t find(uint32_t left, uint32_t right) const {          // kNoToken when there is no rule
    return slots_[slot_of(left, right)].joined;
  }

 private:
  struct Slot {
    uint32_t left = kNoToken;
    uint32_t right = kNoToken;
    uint32_t joined = kNoToken;
  };
  size_t slot_of(uint32_t left, uint32_t right) const {
    constexpr uint64_t kGoldenRatio = 0x9E3779B97F4A7C15;  // Fibonacci hashing
    const uint64_t pair = uint64_t{left} << 32 | right;
    size_t i = static_cast<size_t>((pair * kGoldenRatio) >> shift_);
    while (slots_[i].joined != kNoToken && (slots_[i].left != left || slots_[i].right != right))
      i = (i + 1) & (slots_.size() - 1);
    return i;
  }

  int shift_;
  std::vector<Slot> slots_;  // a power of two
};

}  // namespace ramet
