#include "models/stored_shapes.h"

#include <fmt/format.h>

#include <cmath>

namespace ramet {

StoredShapes::StoredShapes(const Checkpoint& checkpoint, std::string prefix)
    : file_(checkpoint.path().string()), claims_(checkpoint), scope_(claims_, std::move(prefix), Category::skipped) {}

int64_t StoredShapes::dim(std::string_view tensor, int axis) {
  const std::optional<Shape> shape = scope_.shape_of(tensor);
  if (!shape) return problem(Code::not_found, tensor, "this tensor", "none");
  if (axis >= shape->rank() || (*shape)[axis] < 1)
    return problem(Code::shape_mismatch, tensor, fmt::format("a size on axis {}", axis), str(*shape));
  return (*shape)[axis];
}

int64_t StoredShapes::heads(std::string_view tensor, int64_t head_dim) {
  const int64_t rows = dim(tensor, 0);
  if (!status_ || rows % head_dim == 0) return std::max<int64_t>(1, rows / head_dim);
  return problem(Code::shape_mismatch, tensor, fmt::format("a multiple of the head width {}", head_dim),
                 fmt::format("{} rows", rows));
}

int64_t StoredShapes::square_side(std::string_view tensor, int axis) {
  const int64_t square = dim(tensor, axis);
  const auto side = static_cast<int64_t>(std::lround(std::sqrt(static_cast<double>(square))));
  if (side * side == square) return side;
  return problem(Code::shape_mismatch, tensor, "a square number of rows", fmt::format("{}", square));
}

int64_t StoredShapes::problem(Code code, std::string_view tensor, std::string expected, std::string found) {
  if (status_)
    status_ =
        fail(code, fmt::format("{}: {}.{}", file_, scope_.prefix(), tensor), std::move(expected), std::move(found));
  return 1;
}

Qwen3TextConfig stored_qwen3_sizes(StoredShapes& stored, std::string_view token_table) {
  const int64_t head_dim = stored.dim("model.layers.0.self_attn.q_norm.weight", 0);
  return {.num_hidden_layers = stored.count("model.layers"),
          .hidden_size = stored.dim(token_table, 1),
          .num_attention_heads = stored.heads("model.layers.0.self_attn.q_proj.weight", head_dim),
          .num_key_value_heads = stored.heads("model.layers.0.self_attn.k_proj.weight", head_dim),
          .head_dim = head_dim,
          .intermediate_size = stored.dim("model.layers.0.mlp.gate_proj.weight", 0),
          .vocab_size = stored.dim(token_table, 0),
          .rms_norm_eps = 1e-6,
          .rope_theta = 1e6,
          .mrope_section = {head_dim / 2, 0, 0}};
}

}  // namespace ramet
