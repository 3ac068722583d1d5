// Byte-pair encoding of one pre-token: merge the adjacent pair of the lowest rank, the leftmost of equal ones, until
// no pair has a rule.
//
// A heap of candidate pairs over a linked list: n log n in the length, where a search for the best pair in each round
// would be n^2. The object keeps its memory between calls; one object per thread.
#pragma once

#include "policy/text/merge_table.h"

#include <cstdint>
#include <vector>

namespace ramet {

class BytePairMerger {
 public:
  // `tokens` are the ids of the bytes before and the ids of the merged tokens after the call; fewer than 2^32.
  void merge(const MergeTable& rules, std::vector<uint32_t>& tokens);

  uint64_t candidates() const { return candidates_; }  // pairs looked at so far: at most 3 for each byte

 private:
  void start(std::vector<uint32_t>& tokens);
  void offer(const MergeTable& rules, uint32_t place);
  void join(const MergeTable& rules, uint32_t place, uint32_t joined);

  std::vector<uint32_t>* tokens_ = nullptr;  // of the running call; kNoToken where merged into the left neighbour
  std::vector<uint32_t> next_, previous_;
  std::vector<uint32_t> joined_;  // what the token here and the next one make; kNoToken: nothing
  std::vector<uint64_t> heap_;    // joined << 32 | place, smallest on top
  uint64_t candidates_ = 0;
};

}  // namespace ramet
