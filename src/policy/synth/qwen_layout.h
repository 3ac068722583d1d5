// Synthetic Qwen3-VL and Qwen3.5 directories.
#pragma once

#include "models/qwen3_vl_config.h"
#include "policy/synth/layouts.h"

#include <nlohmann/json_fwd.hpp>

namespace ramet {

// Of a model whose text stack Ramet does not have (MoE, Qwen3.5) the tower alone.
SynthLayout qwen_layout(const Qwen3VlConfig& published, SynthSize size);

// config.json as transformers 4.57 writes it.
nlohmann::json qwen_config_json(const Qwen3VlConfig& config);

// The tensors that a model claimed, all BF16 as published.
std::vector<TensorSpec> claimed_tensors(const class WeightClaims& claims);

}  // namespace ramet
