// The name of a matrix product in a precision table: short, the same for all versions of a model family.
//
//   ...visual.blocks.3.attn.qkv.weight                                  vision.block.3.qkv
//   ...visual.deepstack_merger_list.0.linear_fc1.weight                 vision.deepstack.0.fc1
//   ...language_model.layers.2.mlp.gate_proj.weight                     llm.block.2.gate_proj
//   action_head.model.transformer_blocks.7.ff.net.0.proj.weight         dit.block.7.ff1
//   action_head.state_encoder.layer1.W                                  state_encoder.layer1
#pragma once

#include "weights/category.h"

#include <string>
#include <string_view>

namespace ramet {

std::string site_of(std::string_view tensor, Category category);

}  // namespace ramet
