// Where each value of a program lives while it runs.
//
// Computed values share one arena: two values overlap only if one is dead before the other is born. Inputs, outputs,
// kept taps and everything that depends on weights and constants alone (hoisted to load) keep memory of their own.
#pragma once

#include "program/schedule.h"

#include <cstdint>
#include <vector>

namespace ramet {

struct MemoryPlan {
  static constexpr int64_t kAlignment = 64;
  static constexpr int64_t kNone = -1;

  int64_t arena_bytes = 0;       // values reused by lifetime
  int64_t persistent_bytes = 0;  // values that outlive a replay
  int64_t scratch_bytes = 0;     // the largest wish of a step
  std::vector<int64_t> offsets;  // by value id: into the arena, or into the persistent part; kNone: a window, or data
  std::vector<bool> persistent;  // by value id

  int64_t total_bytes() const { return arena_bytes + persistent_bytes + scratch_bytes; }
};

// `kept`: values besides inputs and outputs whose contents must survive a replay (the taps asked for).
MemoryPlan plan_memory(const Program& program, const Schedule& schedule, const std::vector<Value>& kept);

}  // namespace ramet
