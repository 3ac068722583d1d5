#include "program/fusion.h"

#include "base/assert.h"
#include "ops/product.h"

#include <algorithm>

namespace ramet {
namespace {

constexpr int kNone = -1;

bool is_linear(const Program::Node& node) { return std::holds_alternative<ops::Linear>(node.op); }

bool is_norm(const Program::Node& node) {
  return std::holds_alternative<ops::LayerNorm>(node.op) || std::holds_alternative<ops::AdaLayerNorm>(node.op) ||
         std::holds_alternative<ops::RmsNorm>(node.op);
}

bool is_binary(const Program::Node& node, ops::Binary::Kind kind) {
  const auto* binary = std::get_if<ops::Binary>(&node.op);
  return binary != nullptr && binary->kind == kind;
}

class Finder {
 public:
  Finder(const Program& program, const NodeUse& use, const std::vector<Value>& kept, const ChooseKernel& choose)
      : program_(program), use_(use), choose_(choose) {
    readers_.resize(program.values.size());
    maker_.assign(program.values.size(), kNone);
    visible_.assign(program.values.size(), false);
    fusion_.taken.assign(program.nodes.size(), false);
    for (const auto& output : program.outputs) visible_[id(program.root(output.value))] = true;
    for (const Value value : kept) visible_[id(program.root(value))] = true;
    tapped_.assign(program.values.size(), false);
    for (const auto& tap : program.taps) tapped_[id(program.root(tap.value))] = true;
    for (int i = 0; i < static_cast<int>(program.nodes.size()); ++i)
      if (use.live[at(i)]) note(i);
  }

  Fusion run() && {
    for (int i = 0; i < static_cast<int>(program_.nodes.size()); ++i)
      if (is_free(i) && is_binary(node(i), ops::Binary::Kind::multiply)) add_gated(i);
    for (int i = 0; i < static_cast<int>(program_.nodes.size()); ++i)
      if (is_free(i) && is_linear(node(i)) && has_rows(node(i))) add_plain(i);
    std::ranges::stable_sort(fusion_.groups, {}, &FusedGroup::position);
    fusion_.lines_for.assign(program_.values.size(), nullptr);
    for (const FusedGroup& group : fusion_.groups)
      if (may_be_lines(group)) fusion_.lines_for[id(program_.root(group.x))] = group.kernel;
    return std::move(fusion_);
  }

 private:
  static size_t at(int index) { return static_cast<size_t>(index); }
  static size_t id(Value value) { return static_cast<size_t>(value.id); }
  const Program::Node& node(int index) const { return program_.nodes[at(index)]; }
  bool is_free(int i) const { return use_.live[at(i)] && !use_.hoisted[at(i)] && !fusion_.taken[at(i)]; }
  bool has_rows(const Program::Node& linear) const { return program_.shape(linear.inputs[0]).rank() == 2; }

  void note(int i) {
    maker_[id(node(i).output)] = i;
    for (const Value input : node(i).inputs) readers_[id(program_.root(input))].push_back(i);
  }

  // The node that made exactly this value, if nothing but node `reader` reads it.
  int private_maker(Value value, int reader) const {
    const int maker = maker_[id(value)];
    if (maker == kNone || !is_free(maker) || visible_[id(value)]) return kNone;
    return readers_[id(value)] == std::vector<int>{reader} ? maker : kNone;
  }

  // The one node that reads exactly this value; kNone where there are others, or windows, or somebody watches.
  int sole_reader(Value value) const {
    if (visible_[id(value)] || readers_[id(value)].size() != 1) return kNone;
    const int reader = readers_[id(value)].front();
    if (!is_free(reader)) return kNone;
    return std::ranges::count(node(reader).inputs, value) == 1 ? reader : kNone;
  }

  void add_gated(int multiply) {
    const std::vector<Value>& factors = node(multiply).inputs;
    if (!add_gated(multiply, factors[0], factors[1])) add_gated(multiply, factors[1], factors[0]);
  }

  bool add_gated(int multiply, Value activated, Value other) {
    const int activation = private_maker(activated, multiply), gated = private_maker(other, multiply);
    if (activation == kNone || gated == kNone || !is_linear(node(gated))) return false;
    const auto* f = std::get_if<ops::Activation>(&node(activation).op);
    if (f == nullptr) return false;
    const int linear = private_maker(node(activation).inputs[0], activation);
    if (linear == kNone || !is_linear(node(linear)) || !has_rows(node(linear))) return false;
    if (node(linear).inputs[0] != node(gated).inputs[0]) return false;
    if (choose_(node(linear)) != choose_(node(gated)) || copies_of(node(linear)) != copies_of(node(gated)))
      return false;
    for (const int taken : {linear, activation, gated, multiply}) fusion_.taken[at(taken)] = true;
    FusedPart part{.linear = &node(linear), .gated = &node(gated), .f = f->kind, .output = node(multiply).output};
    add(part, std::min(linear, gated));
    return true;
  }

  void add_plain(int linear) {
    fusion_.taken[at(linear)] = true;
    FusedPart part{.linear = &node(linear), .f = {}, .output = node(linear).output};
    if (const int next = sole_reader(part.output); next != kNone)
      if (const auto* f = std::get_if<ops::Activation>(&node(next).op)) {
        fusion_.taken[at(next)] = true;
        part.f = f->kind;
        part.output = node(next).output;
      }
    add(part, linear);
  }

  void add(FusedPart part, int first) {
    take_residual(part, first);
    FusedGroup group{.x = part.linear->inputs[0], .kernel = choose_(*part.linear), .parts = {}, .position = at(first)};
    if (const int norm = norm_of(group.x); norm != kNone) {
      fusion_.taken[at(norm)] = true;
      group.norm = &node(norm);
      group.x = node(norm).inputs[0];
    }
    FusedGroup* joined = find_group(group, part);
    if (joined == nullptr) joined = &fusion_.groups.emplace_back(std::move(group));
    joined->parts.push_back(part);
  }

  // A sum with what is known before the group starts.
  void take_residual(FusedPart& part, int first) {
    const int next = sole_reader(part.output);
    if (next == kNone || !is_binary(node(next), ops::Binary::Kind::add)) return;
    const std::vector<Value>& terms = node(next).inputs;
    const Value other = terms[0] == part.output ? terms[1] : terms[0];
    if (program_.shape(other).rank() != 2 || made_at(other) >= first) return;
    fusion_.taken[at(next)] = true;
    part.residual = other;
    part.output = node(next).output;
  }

  // Where a value becomes known: before everything for inputs, weights and what is hoisted.
  int made_at(Value value) const {
    const int maker = maker_[id(program_.root(value))];
    return maker == kNone || use_.hoisted[at(maker)] ? kNone : maker;
  }

  // The norm that made `x`, where all its readers are products.
  int norm_of(Value x) const {
    const int norm = maker_[id(x)];
    if (norm == kNone || visible_[id(x)] || use_.hoisted[at(norm)] || !is_norm(node(norm))) return kNone;
    const auto reads_rows = [&](int reader) {
      return !use_.hoisted[at(reader)] && is_linear(node(reader)) && node(reader).inputs[0] == x &&
             copies_of(node(reader)).count == 1;
    };
    return std::ranges::all_of(readers_[id(x)], reads_rows) ? norm : kNone;
  }

  bool writes_lines(int maker) const {
    if (!fusion_.taken[at(maker)]) return std::holds_alternative<ops::Attention>(node(maker).op);
    return std::ranges::any_of(fusion_.groups, [&](const FusedGroup& group) {
      return ops::writes_lines(*group.kernel) &&
             std::ranges::find(group.parts, node(maker).output, &FusedPart::output) != group.parts.end();
    });
  }

  // Whether the rows of a group are all of a value that a product or an attention makes and nothing else reads. Taps
  // may be looked at when a run has failed.
  bool may_be_lines(const FusedGroup& group) const {
    const Value root = program_.root(group.x);
    const int maker = maker_[id(root)];
    if (group.norm != nullptr || maker == kNone || use_.hoisted[at(maker)] || visible_[id(root)]) return false;
    if (tapped_[id(root)] || copies_of(*group.parts.front().linear).count != 1 || !writes_lines(maker)) return false;
    const Shape &x = program_.shape(group.x), &whole = program_.shape(root);
    if (x.rows() != whole.rows() || x.cols() != whole.cols()) return false;
    if (!ops::may_write_lines(*group.kernel, x.rows(), x.cols())) return false;
    return std::ranges::all_of(readers_[id(root)], [&](int reader) {
      return std::ranges::any_of(group.parts, [&](const FusedPart& part) {
        return part.linear == &node(reader) || part.gated == &node(reader);
      });
    });
  }

  FusedGroup* find_group(const FusedGroup& wanted, const FusedPart& part) {
    const auto fits = [&](const FusedGroup& group) {
      return group.x == wanted.x && group.norm == wanted.norm && group.kernel == wanted.kernel &&
             group.parts.front().linear->stage == part.linear->stage &&
             copies_of(*group.parts.front().linear) == copies_of(*part.linear) &&
             (!part.residual.valid() || made_at(part.residual) < static_cast<int>(group.position)) &&
             group.position <= wanted.position;
    };
    const auto it = std::ranges::find_if(fusion_.groups, fits);
    return it == fusion_.groups.end() ? nullptr : &*it;
  }

  const Program& program_;
  const NodeUse& use_;
  const ChooseKernel& choose_;
  std::vector<std::vector<int>> readers_;  // by value that owns memory: nodes, ascending
  std::vector<int> maker_;                 // by value
  std::vector<bool> visible_, tapped_;     // by value
  Fusion fusion_;
};

}  // namespace

Fusion fuse(const Program& program, const NodeUse& use, const std::vector<Value>& kept, const ChooseKernel& choose) {
  return Finder(program, use, kept, choose).run();
}

}  // namespace ramet
