#include "program/recorder.h"

#include "base/assert.h"
#include "weights/site.h"

#include <algorithm>
#include <array>

namespace ramet {
namespace {

// Where a view is and how it is laid out.
std::tuple<const void*, Strides, Strides> key(ConstView view) {
  Strides extents{};
  std::ranges::copy(view.shape().dims(), extents.begin());
  return {view.bytes(), extents, view.strides()};
}

}  // namespace

Value Recorder::add_value(Program::ValueInfo info) {
  const Value value{static_cast<int32_t>(program_.values.size())};
  if (!info.root.valid()) info.root = value;
  program_.values.push_back(std::move(info));
  return value;
}

template <class OpType>
Value Recorder::emit(OpType op, std::span<const Value> inputs) {
  RAMET_ASSERT(!program_.stages.empty());
  std::vector<ConstView> operands;
  for (const Value input : inputs) operands.push_back(program_.info(input).view);
  const Shape shape = op.output_shape(operands);
  const Value output =
      add_value({.origin = Program::Origin::computed, .view = ConstView(nullptr, DType::f32, shape), .root = {}});
  program_.nodes.push_back({.op = std::move(op),
                            .inputs = {inputs.begin(), inputs.end()},
                            .output = output,
                            .stage = static_cast<int>(program_.stages.size()) - 1});
  return output;
}

void Recorder::begin_stage(std::string name) { program_.stages.push_back(std::move(name)); }

Value Recorder::tap(std::string name, Value value) {
  program_.taps.push_back({std::move(name), value});
  return value;
}

void Recorder::output(std::string name, Value value) { program_.outputs.push_back({std::move(name), value}); }

Value Recorder::input(std::string name, DType dtype, const Shape& shape) {
  const Value value =
      add_value({.origin = Program::Origin::input, .view = ConstView(nullptr, dtype, shape), .root = {}});
  program_.inputs.push_back({std::move(name), value});
  return value;
}

Value Recorder::constant(const Shape& shape, std::vector<float> values) {
  RAMET_ASSERT(static_cast<int64_t>(values.size()) == shape.elements(), values.size(), str(shape));
  const auto& kept = program_.float_constants.emplace_back(std::move(values));
  const ConstView view(reinterpret_cast<const std::byte*>(kept.data()), DType::f32, shape);
  return add_value({.origin = Program::Origin::constant, .view = view, .root = {}});
}

Value Recorder::index(const Shape& shape, std::vector<int64_t> values) {
  RAMET_ASSERT(static_cast<int64_t>(values.size()) == shape.elements(), values.size(), str(shape));
  const auto& kept = program_.index_constants.emplace_back(std::move(values));
  const ConstView view(reinterpret_cast<const std::byte*>(kept.data()), DType::i64, shape);
  return add_value({.origin = Program::Origin::constant, .view = view, .root = {}});
}

Value Recorder::weight(const Weight& weight) {
  const auto [it, is_new] = weights_.try_emplace(key(weight.view));
  if (is_new)
    it->second = add_value({.origin = Program::Origin::weight,
                            .view = weight.view,
                            .root = {},
                            .weight = weight.label(),
                            .site = site_of(weight.name, weight.category)});
  return it->second;
}

Value Recorder::parameter(const Weight& matrix) {
  const auto [it, is_new] = parameters_.try_emplace(key(matrix.view));
  if (is_new) it->second = emit(ops::Widen{}, std::array{weight(matrix)});
  return it->second;
}

Value Recorder::linear(Value x, const LinearWeights& layer, ops::ColumnCopies copies) {
  const ops::Linear op{.copies = copies};
  if (!layer.bias) return emit(op, std::array{x, weight(layer.weight)});
  return emit(op, std::array{x, weight(layer.weight), parameter(layer.bias)});
}

Value Recorder::linear(Value x, const Weight& matrix) { return emit(ops::Linear{}, std::array{x, weight(matrix)}); }

Value Recorder::linear_in_out(Value x, const LinearWeights& layer) {
  return emit(ops::Linear{.layout = ops::Linear::Layout::in_out},
              std::array{x, weight(layer.weight), parameter(layer.bias)});
}

Value Recorder::layer_norm(Value x, const NormWeights& norm, float eps) {
  return emit(ops::LayerNorm{.eps = eps}, std::array{x, parameter(norm.weight), parameter(norm.bias)});
}

Value Recorder::layer_norm(Value x, float eps) { return emit(ops::LayerNorm{.eps = eps}, std::array{x}); }

Value Recorder::ada_layer_norm(Value x, Value scale, Value shift, float eps) {
  return emit(ops::AdaLayerNorm{.eps = eps}, std::array{x, scale, shift});
}

Value Recorder::rms_norm(Value x, const Weight& gain, float eps) {
  return emit(ops::RmsNorm{.eps = eps}, std::array{x, parameter(gain)});
}

Value Recorder::activation(Value x, ops::Activation::Kind kind) {
  return emit(ops::Activation{.kind = kind}, std::array{x});
}

Value Recorder::add(Value a, Value b) { return emit(ops::Binary{.kind = ops::Binary::Kind::add}, std::array{a, b}); }

Value Recorder::multiply(Value a, Value b) {
  return emit(ops::Binary{.kind = ops::Binary::Kind::multiply}, std::array{a, b});
}

Value Recorder::add_scaled(Value a, float alpha, Value b) {
  return emit(ops::AddScaled{.alpha = alpha}, std::array{a, b});
}

Value Recorder::rope(Value x, Value cos, Value sin) { return emit(ops::Rope{}, std::array{x, cos, sin}); }

Value Recorder::attention(Value q, Value k, Value v, ops::Attention attributes) {
  return emit(std::move(attributes), std::array{q, k, v});
}

Value Recorder::gather_rows(Value table, Value rows) { return emit(ops::GatherRows{}, std::array{table, rows}); }

Value Recorder::interpolate_rows(Value table, Value corners, Value weights) {
  return emit(ops::InterpolateRows{}, std::array{table, corners, weights});
}

Value Recorder::replace_rows(Value x, Value rows, Value where) {
  return emit(ops::ScatterRows{.mode = ops::ScatterRows::Mode::replace}, std::array{x, rows, where});
}

Value Recorder::add_to_rows(Value x, Value rows, Value where) {
  return emit(ops::ScatterRows{.mode = ops::ScatterRows::Mode::add}, std::array{x, rows, where});
}

Value Recorder::concat_rows(std::initializer_list<Value> parts) {
  return emit(ops::Concat{.axis = 0}, std::span(parts.begin(), parts.size()));
}

Value Recorder::concat_cols(std::initializer_list<Value> parts) {
  return emit(ops::Concat{.axis = 1}, std::span(parts.begin(), parts.size()));
}

Value Recorder::window(Value x, const Shape& shape, const Strides& strides, int64_t offset) {
  const Program::ValueInfo& info = program_.info(x);
  const std::byte* data = info.view.bytes();
  if (data != nullptr) data += offset * size_bytes(info.view.dtype());
  return add_value({.origin = info.origin,
                    .view = ConstView(data, info.view.dtype(), shape, strides),
                    .root = info.root,
                    .offset = info.offset + offset});
}

Value Recorder::slice_rows(Value x, int64_t begin, int64_t count) {
  const ConstView view = program_.info(x).view;
  RAMET_ASSERT(view.shape().rank() == 2 && begin >= 0 && begin + count <= view.shape()[0], str(view.shape()), begin,
               count);
  return window(x, {count, view.shape()[1]}, view.strides(), begin * view.stride(0));
}

Value Recorder::slice_cols(Value x, int64_t begin, int64_t count) {
  const ConstView view = program_.info(x).view;
  RAMET_ASSERT(view.shape().rank() == 2 && begin >= 0 && begin + count <= view.shape()[1], str(view.shape()), begin,
               count);
  return window(x, {view.shape()[0], count}, view.strides(), begin);
}

Value Recorder::heads(Value x, int64_t num_heads) {
  const ConstView view = program_.info(x).view;
  RAMET_ASSERT(view.shape().rank() == 2 && view.shape()[1] % num_heads == 0, str(view.shape()), num_heads);
  const int64_t head_dim = view.shape()[1] / num_heads;
  const Strides strides{view.stride(0), head_dim, 1};
  return window(x, {view.shape()[0], num_heads, head_dim}, strides, 0);
}

Value Recorder::reshape(Value x, const Shape& shape) {
  const ConstView view = program_.info(x).view;
  RAMET_ASSERT(view.is_dense() && shape.elements() == view.shape().elements(), str(view.shape()), str(shape));
  return window(x, shape, dense_strides(shape), 0);
}

}  // namespace ramet
