// A recorded computation: typed operations over typed values with static shapes.
//
// Models record into a Program once (recorder.h); executors plan it and replay it (executor.h). A Program holds no
// working memory and is not changed by running. Weights stay where the checkpoint has them mapped: the checkpoint
// outlives the Program.
#pragma once

#include "ops/attention.h"
#include "ops/elementwise.h"
#include "ops/linear.h"
#include "ops/norm.h"
#include "ops/rope.h"
#include "ops/rows.h"
#include "tensor/view.h"

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ramet {

using Op = std::variant<ops::Linear, ops::LayerNorm, ops::AdaLayerNorm, ops::RmsNorm, ops::Activation, ops::Binary,
                        ops::AddScaled, ops::Widen, ops::Rope, ops::Attention, ops::GatherRows, ops::InterpolateRows,
                        ops::ScatterRows, ops::Concat>;

struct Value {
  int32_t id = -1;
  bool valid() const { return id >= 0; }
  friend bool operator==(Value, Value) = default;
};

struct Program {
  enum class Origin { input, weight, constant, computed };

  // A value is memory of its own, or a window into that of `root` (a slice, a reshape), `offset` elements in.
  struct ValueInfo {
    Origin origin;
    ConstView view;  // data only for weights and constants
    Value root;
    int64_t offset = 0;
    std::string weight = {};  // weights: which one, for people and for the cache of packed weights
    std::string site = {};    // weights: the name of its product in a precision table (weights/site.h)
  };
  struct Node {
    Op op;
    std::vector<Value> inputs;
    Value output;
    int stage;
  };
  struct Named {
    std::string name;
    Value value;
  };

  std::vector<ValueInfo> values;
  std::vector<Node> nodes;          // in an order that can be run
  std::vector<std::string> stages;  // "vision", "llm", ...; nodes of a stage are contiguous
  std::vector<Named> inputs, outputs, taps;
  std::deque<std::vector<float>> float_constants;
  std::deque<std::vector<int64_t>> index_constants;

  const ValueInfo& info(Value value) const { return values[static_cast<size_t>(value.id)]; }
  Value root(Value value) const { return info(value).root; }
  const Shape& shape(Value value) const { return info(value).view.shape(); }
};

std::string_view op_name(const Op& op);

}  // namespace ramet
