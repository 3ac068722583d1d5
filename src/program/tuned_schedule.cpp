#include "program/tuned_schedule.h"

#include "ops/fused_attention.h"
#include "ops/product.h"
#include "program/fusion.h"
#include "program/packed_weights.h"

#include <fmt/format.h>

#include <algorithm>

namespace ramet {
namespace {

Value weight_of(const Program::Node& linear) { return linear.inputs[1]; }
Value bias_of(const Program::Node& linear) { return linear.inputs.size() == 3 ? linear.inputs[2] : Value{}; }

ops::StoredMatrix stored_matrix(const Program& program, const Program::Node& linear) {
  const auto& op = std::get<ops::Linear>(linear.op);
  return {.weight = program.info(weight_of(linear)).view, .layout = op.layout, .copies = op.copies};
}

// Columns of x that the products of a group read.
int64_t depth(const Program& program, const FusedGroup& group) {
  return stored_matrix(program, *group.parts.front().linear).in();
}

const ops::ProductKernel* lines_for(const Program& program, const Fusion& fusion, Value value) {
  return fusion.lines_for[static_cast<size_t>(program.root(value).id)];
}

// A group whose weights are known by their number in PackedWeights and whose operands are values until bound.
class ProductBody final : public StepBody {
 public:
  ProductBody(const Program& program, const Fusion& fusion, FusedGroup group, PackedWeights& weights)
      : group_(std::move(group)), weights_(&weights) {
    product_.x_is_lines = lines_for(program, fusion, group_.x) != nullptr;
    product_.copies = copies_of(*group_.parts.front().linear);
    for (const FusedPart& part : group_.parts) {
      readers_.push_back(lines_for(program, fusion, part.output));
      packed_.push_back(want(program, *part.linear));
      gated_.push_back(part.gated == nullptr ? PackedWeights::kNone : want(program, *part.gated));
    }
  }

  void bind(std::span<const View> views) override {
    const auto view = [&](Value value) { return views[static_cast<size_t>(value.id)]; };
    const auto floats = [&](Value value) { return value.valid() ? view(value).data<float>() : nullptr; };
    product_.kernel = group_.kernel;
    product_.x = view(group_.x);
    if (group_.norm != nullptr) product_.norm = row_norm(*group_.norm, floats);
    for (size_t i = 0; i < group_.parts.size(); ++i) {
      const FusedPart& part = group_.parts[i];
      ops::ProductPart bound{.weight = weights_->matrix(packed_[i]),
                             .bias = floats(bias_of(*part.linear)),
                             .f = part.f,
                             .y = view(part.output)};
      if (part.gated != nullptr) {
        bound.gated = weights_->matrix(gated_[i]);
        bound.gated_bias = floats(bias_of(*part.gated));
      }
      if (part.residual.valid()) bound.residual = view(part.residual);
      bound.reader = readers_[i];
      product_.parts.push_back(bound);
    }
  }

  void run(Stream& stream) const override { product_.run(stream); }

 private:
  size_t want(const Program& program, const Program::Node& linear) {
    const Program::ValueInfo& info = program.info(weight_of(linear));
    return weights_->want({.label = info.weight, .matrix = stored_matrix(program, linear), .kernel = group_.kernel});
  }

  template <class Floats>
  static ops::RowNorm row_norm(const Program::Node& norm, const Floats& floats) {
    const auto input = [&](size_t i) { return i < norm.inputs.size() ? floats(norm.inputs[i]) : nullptr; };
    if (const auto* layer = std::get_if<ops::LayerNorm>(&norm.op))
      return {.kind = ops::RowNorm::Kind::layer, .eps = layer->eps, .scale = input(1), .shift = input(2)};
    if (const auto* ada = std::get_if<ops::AdaLayerNorm>(&norm.op))
      return {.kind = ops::RowNorm::Kind::layer,
              .eps = ada->eps,
              .scale = input(1),
              .shift = input(2),
              .one_plus_scale = true};
    return {.kind = ops::RowNorm::Kind::rms, .eps = std::get<ops::RmsNorm>(norm.op).eps, .scale = input(1)};
  }

  FusedGroup group_;
  PackedWeights* weights_;
  std::vector<size_t> packed_, gated_;
  std::vector<const ops::ProductKernel*> readers_;
  ops::Product product_;
};

class AttentionBody final : public StepBody {
 public:
  AttentionBody(const Program::Node& node, const ops::ProductKernel& kernel, const ops::ProductKernel* reader)
      : node_(&node), attention_{&kernel, &std::get<ops::Attention>(node.op), reader} {}

  void bind(std::span<const View> views) override {
    for (const Value input : node_->inputs) operands_.push_back(views[static_cast<size_t>(input.id)]);
    output_ = views[static_cast<size_t>(node_->output.id)];
  }
  void run(Stream& stream) const override { attention_.run(stream, operands_, output_); }
  int64_t scratch_bytes(ops::Operands in, int threads) const { return attention_.scratch_bytes(in, threads); }

 private:
  const Program::Node* node_;
  ops::FusedAttention attention_;
  std::vector<ConstView> operands_;
  View output_;
};

// "vision.attention": the products of queries with keys and of weights with values.
std::string attention_site(const Program& program, const Program::Node& node) {
  return program.stages[static_cast<size_t>(node.stage)] + ".attention";
}

Site linear_site(const Program& program, const Program::Node& linear) {
  const ops::StoredMatrix matrix = stored_matrix(program, linear);
  return {.name = program.info(weight_of(linear)).site, .shape = {matrix.out(), matrix.stored_in()}};
}

class StepMaker {
 public:
  StepMaker(const Program& program, const Fusion& fusion, int threads, const Tuning& tuning)
      : program_(program), fusion_(fusion), threads_(threads), tuning_(tuning) {}

  Step make(const FusedGroup& group) const {
    Step step;
    read(step, group.x);
    if (group.norm != nullptr)
      for (const Value input : group.norm->inputs) read(step, input);
    for (const FusedPart& part : group.parts) add_part(step, group, part);
    const Shape& x = program_.shape(group.x);
    step.stage = group.parts.front().linear->stage;
    step.label = label(group);
    const bool is_lines = lines_for(program_, fusion_, group.x) != nullptr;
    step.scratch_bytes =
        ops::Product::scratch_bytes(*group.kernel, x.rows(), depth(program_, group), threads_, is_lines);
    step.work = step.multiply_adds;
    step.body = std::make_unique<ProductBody>(program_, fusion_, group, *tuning_.weights);
    return step;
  }

  // Keys and values are no weights: they are not worth scales of their own, and where a machine does not multiply
  // bf16 as such, float32 is as fast.
  Step make_attention(const Program::Node& node) const {
    const ops::Precision wanted = tuning_.precision.at(attention_site(program_, node));
    const auto* kernel = &tuning_.kernel(ops::Precision::fp32, DType::f32);
    if (wanted != ops::Precision::fp32) {
      const auto& rounded = tuning_.kernel(ops::Precision::bf16, DType::f32);
      if (!rounded.exact_rows) kernel = &rounded;
    }
    Step step = node_outline(program_, node);
    auto body = std::make_unique<AttentionBody>(node, *kernel, lines_for(program_, fusion_, node.output));
    step.scratch_bytes = body->scratch_bytes(operands_of(program_, node), threads_);
    step.body = std::move(body);
    return step;
  }

  Step make_node(const Program::Node& node) const {
    if (std::holds_alternative<ops::Attention>(node.op)) return make_attention(node);
    return node_step(program_, node, NodeKernels::tuned, threads_);
  }

 private:
  std::string label(const FusedGroup& group) const {
    const Shape& x = program_.shape(group.x);
    std::string text =
        fmt::format("{} {}x{} ->", program_.info(weight_of(*group.parts.front().linear)).site, x.rows(), x.cols());
    for (const FusedPart& part : group.parts) text += fmt::format(" {}", program_.shape(part.output).cols());
    return text;
  }

  void read(Step& step, Value value) const {
    if (value.valid()) step.reads.push_back(program_.root(value));
  }

  void add_part(Step& step, const FusedGroup& group, const FusedPart& part) const {
    read(step, part.residual);
    step.writes.push_back(part.output);
    for (const Program::Node* linear : {part.linear, part.gated}) {
      if (linear == nullptr) continue;
      read(step, bias_of(*linear));
      const Shape& y = program_.shape(linear->output);
      step.multiply_adds += y.elements() * depth(program_, group);
      step.weight_bytes += ops::packed_bytes(*group.kernel, depth(program_, group), y.cols());
    }
  }

  const Program& program_;
  const Fusion& fusion_;
  int threads_;
  const Tuning& tuning_;
};

}  // namespace

Schedule tuned_schedule(const Program& program, const std::vector<Value>& kept, int threads, const Tuning& tuning) {
  const NodeUse use = find_node_use(program, kept);
  const auto choose = [&](const Program::Node& linear) {
    const ops::Precision precision = tuning.precision.at(program.info(weight_of(linear)).site);
    return &tuning.kernel(precision, stored_matrix(program, linear).dtype());
  };
  const Fusion fusion = fuse(program, use, kept, choose);
  const StepMaker maker(program, fusion, threads, tuning);
  Schedule schedule;
  auto group = fusion.groups.begin();
  for (size_t i = 0; i < program.nodes.size(); ++i) {
    for (; group != fusion.groups.end() && group->position == i; ++group) schedule.push_back(maker.make(*group));
    if (!use.live[i] || fusion.taken[i]) continue;
    // What runs once is not worth packing: the reference kernels read weights where they are.
    schedule.push_back(use.hoisted[i] ? node_step(program, program.nodes[i], NodeKernels::reference, threads)
                                      : maker.make_node(program.nodes[i]));
    schedule.back().hoisted = use.hoisted[i];
  }
  return schedule;
}

std::vector<Site> sites_of(const Program& program) {
  const NodeUse use = find_node_use(program, {});
  std::vector<Site> sites;
  for (size_t i = 0; i < program.nodes.size(); ++i) {
    const Program::Node& node = program.nodes[i];
    if (!use.live[i] || use.hoisted[i]) continue;
    Site site;
    if (std::holds_alternative<ops::Linear>(node.op)) site = linear_site(program, node);
    if (std::holds_alternative<ops::Attention>(node.op)) site = {.name = attention_site(program, node), .shape = {}};
    if (!site.name.empty() && std::ranges::find(sites, site.name, &Site::name) == sites.end()) sites.push_back(site);
  }
  return sites;
}

std::vector<std::string> site_names(const Program& program) {
  std::vector<std::string> names;
  for (Site& site : sites_of(program)) names.push_back(std::move(site.name));
  return names;
}

}  // namespace ramet
