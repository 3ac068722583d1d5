#include "program/memory_plan.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace ramet {
namespace {

struct Lifetime {
  int first = std::numeric_limits<int>::max();
  int last = -1;
  bool overlaps(const Lifetime& other) const { return first <= other.last && other.first <= last; }
};

int64_t aligned(int64_t bytes) {
  return (bytes + MemoryPlan::kAlignment - 1) / MemoryPlan::kAlignment * MemoryPlan::kAlignment;
}

std::vector<Lifetime> find_lifetimes(const Program& program, const Schedule& schedule) {
  std::vector<Lifetime> lifetimes(program.values.size());
  for (int i = 0; i < static_cast<int>(schedule.size()); ++i) {
    const Step& step = schedule[static_cast<size_t>(i)];
    for (const Value written : step.writes) lifetimes[static_cast<size_t>(written.id)] = {i, i};
    for (const Value read : step.reads) {
      Lifetime& lifetime = lifetimes[static_cast<size_t>(read.id)];
      lifetime.last = std::max(lifetime.last, i);
    }
  }
  return lifetimes;
}

// The lowest offset that no placed value of an overlapping lifetime covers.
class Arena {
 public:
  int64_t place(const Lifetime& lifetime, int64_t bytes) {
    int64_t offset = 0;
    for (const Block& block : blocks_)  // ascending by offset
      if (block.lifetime.overlaps(lifetime)) {
        if (block.begin >= offset + bytes) break;
        offset = std::max(offset, block.end);
      }
    const Block placed{offset, offset + bytes, lifetime};
    blocks_.insert(std::upper_bound(blocks_.begin(), blocks_.end(), placed,
                                    [](const Block& a, const Block& b) { return a.begin < b.begin; }),
                   placed);
    bytes_ = std::max(bytes_, placed.end);
    return offset;
  }
  int64_t bytes() const { return bytes_; }

 private:
  struct Block {
    int64_t begin, end;
    Lifetime lifetime;
  };
  std::vector<Block> blocks_;
  int64_t bytes_ = 0;
};

// Values that own memory and outlive a replay.
std::vector<bool> find_persistent(const Program& program, const Schedule& schedule, const std::vector<Value>& kept) {
  std::vector<bool> persistent(program.values.size(), false);
  const auto keep = [&](Value value) { persistent[static_cast<size_t>(program.root(value).id)] = true; };
  for (const auto& named : program.inputs) keep(named.value);
  for (const auto& named : program.outputs) keep(named.value);
  for (const Value value : kept) keep(value);
  for (const Step& step : schedule)
    if (step.hoisted) std::ranges::for_each(step.writes, keep);
  return persistent;
}

bool owns_memory(const Program::ValueInfo& info, Value value) {
  return info.root == value && (info.origin == Program::Origin::input || info.origin == Program::Origin::computed);
}

std::vector<int32_t> by_size(const Program& program) {
  std::vector<int32_t> order(program.values.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int32_t a, int32_t b) { return program.shape({a}).elements() > program.shape({b}).elements(); });
  return order;
}

}  // namespace

MemoryPlan plan_memory(const Program& program, const Schedule& schedule, const std::vector<Value>& kept) {
  MemoryPlan plan;
  plan.persistent = find_persistent(program, schedule, kept);
  plan.offsets.assign(program.values.size(), MemoryPlan::kNone);
  for (const Step& step : schedule) plan.scratch_bytes = std::max(plan.scratch_bytes, aligned(step.scratch_bytes));
  const std::vector<Lifetime> lifetimes = find_lifetimes(program, schedule);
  Arena arena;
  for (const int32_t id : by_size(program)) {
    const Program::ValueInfo& info = program.info({id});
    const bool is_used = lifetimes[static_cast<size_t>(id)].last >= 0 || plan.persistent[static_cast<size_t>(id)];
    if (!owns_memory(info, {id}) || !is_used) continue;
    const int64_t bytes = aligned(info.view.size_bytes());
    int64_t& offset = plan.offsets[static_cast<size_t>(id)];
    if (plan.persistent[static_cast<size_t>(id)]) {
      offset = plan.persistent_bytes;
      plan.persistent_bytes += bytes;
    } else {
      offset = arena.place(lifetimes[static_cast<size_t>(id)], bytes);
    }
  }
  plan.arena_bytes = arena.bytes();
  return plan;
}

}  // namespace ramet
