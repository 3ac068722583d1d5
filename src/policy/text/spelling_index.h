// From the bytes of a token to its id. Needed while a vocabulary is built; encoding never looks a spelling up.
#pragma once

#include "policy/text/vocabulary.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace ramet {

class SpellingIndex {
 public:
  explicit SpellingIndex(const Vocabulary& vocabulary);  // must outlive the index; empty at first

  uint32_t insert(uint32_t id);                    // the id that already has this spelling, else `id`
  uint32_t find(std::string_view spelling) const;  // kNoToken when there is none

 private:
  struct Slot {
    uint32_t hash = 0;
    uint32_t id = kNoToken;
  };
  size_t slot_of(std::string_view spelling, size_t hash) const;

  const Vocabulary* vocabulary_;
  std::vector<Slot> slots_;  // a power of two, at most half full
};

}  // namespace ramet
