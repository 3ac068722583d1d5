// Sizes of a model that no config states: read off the shapes of the checkpoint's tensors.
#pragma once

#include "models/qwen3_vl_config.h"
#include "weights/claims.h"

#include <ramet/error.h>

#include <string>
#include <string_view>

namespace ramet {

// The tensors under one prefix. The first problem is kept, and sizes that could not be read are 1.
class StoredShapes {
 public:
  StoredShapes(const Checkpoint& checkpoint, std::string prefix);

  int64_t dim(std::string_view tensor, int axis);            // at least 1
  int64_t heads(std::string_view tensor, int64_t head_dim);  // rows / head_dim
  int64_t square_side(std::string_view tensor, int axis);    // of an axis that is a square
  bool has(std::string_view tensor) const { return scope_.has(tensor); }
  int64_t count(std::string_view list) const { return scope_.count(list); }
  const Status& status() const { return status_; }  // not_found, shape_mismatch

 private:
  int64_t problem(Code code, std::string_view tensor, std::string expected, std::string found);

  std::string file_;
  WeightClaims claims_;
  WeightScope scope_;
  Status status_;
};

// A Qwen3 text stack under `stored`, with the constants of Qwen3: plain rotary positions, theta 1e6, eps 1e-6.
// `token_table`: the tensor [vocab_size, hidden_size] that embeds tokens.
Qwen3TextConfig stored_qwen3_sizes(StoredShapes& stored, std::string_view token_table = "model.embed_tokens.weight");

}  // namespace ramet
