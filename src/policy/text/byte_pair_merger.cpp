#include "policy/text/byte_pair_merger.h"

#include <algorithm>
#include <functional>

namespace ramet {
namespace {

constexpr uint32_t kNowhere = 0xFFFFFFFF;

}  // namespace

void BytePairMerger::start(std::vector<uint32_t>& tokens) {
  const auto size = static_cast<uint32_t>(tokens.size());
  tokens_ = &tokens;
  next_.resize(size);
  previous_.resize(size);
  joined_.resize(size);
  for (uint32_t i = 0; i < size; ++i) {
    next_[i] = i + 1 < size ? i + 1 : kNowhere;
    previous_[i] = i > 0 ? i - 1 : kNowhere;
  }
  heap_.clear();
}

void BytePairMerger::offer(const MergeTable& rules, uint32_t place) {
  ++candidates_;
  const uint32_t next = next_[place];
  joined_[place] = next == kNowhere ? kNoToken : rules.find((*tokens_)[place], (*tokens_)[next]);
  if (joined_[place] == kNoToken) return;
  heap_.push_back(uint64_t{joined_[place]} << 32 | place);
  std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
}

void BytePairMerger::join(const MergeTable& rules, uint32_t place, uint32_t joined) {
  const uint32_t right = next_[place];
  (*tokens_)[place] = joined;
  (*tokens_)[right] = joined_[right] = kNoToken;
  next_[place] = next_[right];
  if (next_[place] != kNowhere) previous_[next_[place]] = place;
  offer(rules, place);
  if (previous_[place] != kNowhere) offer(rules, previous_[place]);
}

void BytePairMerger::merge(const MergeTable& rules, std::vector<uint32_t>& tokens) {
  start(tokens);
  for (uint32_t i = 0; i + 1 < tokens.size(); ++i) offer(rules, i);
  while (!heap_.empty()) {
    const auto joined = static_cast<uint32_t>(heap_.front() >> 32);
    const auto place = static_cast<uint32_t>(heap_.front());
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    heap_.pop_back();
    // An entry is out of date when one of its two tokens has merged with another one since.
    if (joined_[place] == joined) join(rules, place, joined);
  }
  std::erase(tokens, kNoToken);
}

}  // namespace ramet
