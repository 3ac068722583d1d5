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

bool depends_on_weights_alone(const Program& program, const Program::Node& node, const std::vector<bool>& constant) {
  return std::all_of(node.inputs.begin(), node.inputs.end(), [&](Value input) {
    const Value root = program.info(input).root;
    const auto origin = program.info(root).origin;
    return origin == Program::Origin::weight || origin == Program::Origin::constant ||
           constant[static_cast<size_t>(root.id)];
  });
}

std::vector<bool> find_hoisted(const Program& program) {
  std::vector<bool> constant(program.values.size(), false), hoisted;
  for (const Program::Node& node : program.nodes) {
    hoisted.push_back(depends_on_weights_alone(program, node, constant));
    constant[static_cast<size_t>(node.output.id)] = hoisted.back();
  }
  return hoisted;
}

std::vector<bool> find_live(const Program& program, const std::vector<Value>& kept) {
  std::vector<bool> needed(program.values.size(), false), live(program.nodes.size(), false);
  const auto need = [&](Value value) { needed[static_cast<size_t>(program.info(value).root.id)] = true; };
  for (const auto& named : program.outputs) need(named.value);
  for (const Value value : kept) need(value);
  for (size_t i = program.nodes.size(); i-- > 0;) {
    live[i] = needed[static_cast<size_t>(program.nodes[i].output.id)];
    if (live[i])
      for (const Value input : program.nodes[i].inputs) need(input);
  }
  return live;
}

std::vector<Lifetime> find_lifetimes(const Program& program, const std::vector<bool>& live) {
  std::vector<Lifetime> lifetimes(program.values.size());
  for (int step = 0; step < static_cast<int>(program.nodes.size()); ++step) {
    const Program::Node& node = program.nodes[static_cast<size_t>(step)];
    if (!live[static_cast<size_t>(step)]) continue;
    lifetimes[static_cast<size_t>(node.output.id)] = {step, step};
    for (const Value input : node.inputs) {
      Lifetime& lifetime = lifetimes[static_cast<size_t>(program.info(input).root.id)];
      lifetime.last = std::max(lifetime.last, step);
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

int64_t scratch_wish(const Op& op, ops::Operands operands, int threads) {
  return std::visit(
      [&](const auto& typed) -> int64_t {
        if constexpr (requires { typed.scratch_bytes(operands, threads); })
          return typed.scratch_bytes(operands, threads);
        else
          return 0;
      },
      op);
}

int64_t largest_scratch(const Program& program, const std::vector<bool>& live, int threads) {
  int64_t largest = 0;
  for (size_t i = 0; i < program.nodes.size(); ++i) {
    if (!live[i]) continue;
    const Program::Node& node = program.nodes[i];
    std::vector<ConstView> operands;
    for (const Value input : node.inputs) operands.push_back(program.info(input).view);
    largest = std::max(largest, scratch_wish(node.op, operands, threads));
  }
  return aligned(largest);
}

// Values that own memory and outlive a replay.
std::vector<bool> find_persistent(const Program& program, const std::vector<Value>& kept, const MemoryPlan& plan) {
  std::vector<bool> persistent(program.values.size(), false);
  const auto keep = [&](Value value) { persistent[static_cast<size_t>(program.info(value).root.id)] = true; };
  for (const auto& named : program.inputs) keep(named.value);
  for (const auto& named : program.outputs) keep(named.value);
  for (const Value value : kept) keep(value);
  for (size_t i = 0; i < program.nodes.size(); ++i)
    if (plan.live[i] && plan.hoisted[i]) keep(program.nodes[i].output);
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

MemoryPlan plan_memory(const Program& program, const std::vector<Value>& kept, int threads) {
  MemoryPlan plan;
  plan.live = find_live(program, kept);
  plan.hoisted = find_hoisted(program);
  plan.persistent = find_persistent(program, kept, plan);
  plan.offsets.assign(program.values.size(), MemoryPlan::kNone);
  plan.scratch_bytes = largest_scratch(program, plan.live, threads);
  const std::vector<Lifetime> lifetimes = find_lifetimes(program, plan.live);
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
