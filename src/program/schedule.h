// What an executor does, in order: steps that run one or several nodes of a program at once.
//
// The oracle makes one step of each node; the tuned schedule (tuned_schedule.h) fuses.
#pragma once

#include "device/stream.h"
#include "program/program.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace ramet {

// The work of a step. `bind` is called once, with the memory of every value by id; then `run` as often as wanted.
class StepBody {
 public:
  virtual ~StepBody() = default;
  virtual void bind(std::span<const View> views) = 0;
  virtual void run(Stream& stream) const = 0;
};

struct Step {
  std::vector<Value> reads, writes;  // values that own memory
  int stage = 0;
  bool hoisted = false;       // depends on weights and constants alone: runs once, at compile
  int64_t scratch_bytes = 0;  // that it wants while it runs
  int64_t work = 0;           // how long it takes compared to others
  int64_t multiply_adds = 0;  // of its matrix products
  int64_t weight_bytes = 0;   // of the matrices it reads
  std::string label;          // for people: "vision.block.3.fc1 1792x1024 -> 4096"
  std::unique_ptr<StepBody> body;
};

using Schedule = std::vector<Step>;

// By node of the program.
struct NodeUse {
  std::vector<bool> live;     // an output or a value of `kept` needs it; the others never run
  std::vector<bool> hoisted;  // depends on weights and constants alone
};
NodeUse find_node_use(const Program& program, const std::vector<Value>& kept);

enum class NodeKernels { reference, tuned };

// A step that runs one node, without its body.
Step node_outline(const Program& program, const Program::Node& node);

std::vector<ConstView> operands_of(const Program& program, const Program::Node& node);  // without memory

// One node as a step.
Step node_step(const Program& program, const Program::Node& node, NodeKernels kernels, int threads);

// Every live node by its reference kernel, in recorded order.
Schedule oracle_schedule(const Program& program, const std::vector<Value>& kept, int threads);

}  // namespace ramet
