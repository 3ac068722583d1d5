#include "policy/synth/siglip_pooling_head.h"

namespace ramet {

std::vector<TensorSpec> siglip_pooling_head(const std::string& prefix, int64_t hidden_size, int64_t intermediate_size) {
  const int64_t hidden = hidden_size, inner = intermediate_size;
  return {{prefix + "probe", DType::bf16, {1, 1, hidden}},
          {prefix + "attention.in_proj_weight", DType::bf16, {3 * hidden, hidden}},
          {prefix + "attention.in_proj_bias", DType::bf16, {3 * hidden}},
          {prefix + "attention.out_proj.weight", DType::bf16, {hidden, hidden}},
          {prefix + "attention.out_proj.bias", DType::bf16, {hidden}},
          {prefix + "layernorm.weight", DType::bf16, {hidden}},
          {prefix + "layernorm.bias", DType::bf16, {hidden}},
          {prefix + "mlp.fc1.weight", DType::bf16, {inner, hidden}},
          {prefix + "mlp.fc1.bias", DType::bf16, {inner}},
          {prefix + "mlp.fc2.weight", DType::bf16, {hidden, inner}},
          {prefix + "mlp.fc2.bias", DType::bf16, {hidden}}};
}

}  // namespace ramet
