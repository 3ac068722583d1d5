#include "program/schedule.h"

#include <fmt/format.h>

#include <algorithm>

namespace ramet {
namespace {

using ops::Operands;

int64_t multiply_adds(const ops::Linear&, Operands in, const Shape& y) { return y.elements() * in[0].shape().cols(); }

// Each pair of a query and a key takes part in two products; a causal mask leaves half of them.
int64_t multiply_adds(const ops::Attention& op, Operands, const Shape& y) {
  int64_t pairs = 0;
  for (const auto& segment : op.segments)
    pairs += (segment.q_end - segment.q_begin) * (segment.k_end - segment.k_begin);
  return (op.causal ? 1 : 2) * pairs * y.cols();
}

template <class OpType>
int64_t multiply_adds(const OpType&, Operands, const Shape&) {
  return 0;
}

int64_t weight_bytes(const Program& program, const Program::Node& node) {
  return std::holds_alternative<ops::Linear>(node.op) ? program.info(node.inputs[1]).view.size_bytes() : 0;
}

template <class OpType>
int64_t scratch_wish(const OpType& op, Operands in, int threads) {
  if constexpr (requires { op.scratch_bytes(in, threads); })
    return op.scratch_bytes(in, threads);
  else
    return 0;
}

template <class OpType>
void run_op(const OpType& op, NodeKernels kernels, Stream& stream, Operands in, View y) {
  if constexpr (requires { op.run(stream, in, y); })
    if (kernels == NodeKernels::tuned) return op.run(stream, in, y);
  op.reference(stream, in, y);
}

class NodeBody final : public StepBody {
 public:
  NodeBody(const Program::Node& node, NodeKernels kernels) : node_(&node), kernels_(kernels) {}

  void bind(std::span<const View> views) override {
    for (const Value input : node_->inputs) operands_.push_back(views[static_cast<size_t>(input.id)]);
    output_ = views[static_cast<size_t>(node_->output.id)];
  }
  void run(Stream& stream) const override {
    std::visit([&](const auto& op) { run_op(op, kernels_, stream, operands_, output_); }, node_->op);
  }

 private:
  const Program::Node* node_;
  NodeKernels kernels_;
  std::vector<ConstView> operands_;
  View output_;
};

bool depends_on_weights_alone(const Program& program, const Program::Node& node, const std::vector<bool>& constant) {
  return std::ranges::all_of(node.inputs, [&](Value input) {
    const Value root = program.root(input);
    const Program::Origin origin = program.info(root).origin;
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
  const auto need = [&](Value value) { needed[static_cast<size_t>(program.root(value).id)] = true; };
  for (const auto& named : program.outputs) need(named.value);
  for (const Value value : kept) need(value);
  for (size_t i = program.nodes.size(); i-- > 0;) {
    live[i] = needed[static_cast<size_t>(program.nodes[i].output.id)];
    if (live[i])
      for (const Value input : program.nodes[i].inputs) need(input);
  }
  return live;
}

}  // namespace

NodeUse find_node_use(const Program& program, const std::vector<Value>& kept) {
  return {.live = find_live(program, kept), .hoisted = find_hoisted(program)};
}

std::vector<ConstView> operands_of(const Program& program, const Program::Node& node) {
  std::vector<ConstView> operands;
  for (const Value input : node.inputs) operands.push_back(program.info(input).view);
  return operands;
}

Step node_outline(const Program& program, const Program::Node& node) {
  Step step;
  const std::vector<ConstView> operands = operands_of(program, node);
  for (const Value input : node.inputs) step.reads.push_back(program.root(input));
  step.writes = {node.output};
  step.stage = node.stage;
  const Shape& y = program.shape(node.output);
  step.multiply_adds = std::visit([&](const auto& op) { return multiply_adds(op, operands, y); }, node.op);
  step.weight_bytes = weight_bytes(program, node);
  step.label = fmt::format("{} {}x{}", op_name(node.op), y.rows(), y.cols());
  step.work = std::max(step.multiply_adds, y.elements());
  return step;
}

Step node_step(const Program& program, const Program::Node& node, NodeKernels kernels, int threads) {
  Step step = node_outline(program, node);
  const std::vector<ConstView> operands = operands_of(program, node);
  step.scratch_bytes = std::visit([&](const auto& op) { return scratch_wish(op, operands, threads); }, node.op);
  step.body = std::make_unique<NodeBody>(node, kernels);
  return step;
}

Schedule oracle_schedule(const Program& program, const std::vector<Value>& kept, int threads) {
  const NodeUse use = find_node_use(program, kept);
  Schedule schedule;
  for (size_t i = 0; i < program.nodes.size(); ++i) {
    if (!use.live[i]) continue;
    schedule.push_back(node_step(program, program.nodes[i], NodeKernels::reference, threads));
    schedule.back().hoisted = use.hoisted[i];
  }
  return schedule;
}

}  // namespace ramet
