// GR00T N1.7: Qwen3-VL tower and text stack, VL self-attention, flow-matching action head.
//
// The program's inputs: pixels [patches, 1536], input_ids [tokens] i64, state [1, history * max_state_dim],
// noise [action_horizon, action_dim]; its output: actions [action_horizon, action_dim], normalised.
// Stages: vision, llm, adapter, denoise.  Source: spec gr00t-n1.7, section 2.
#pragma once

#include "models/action_head.h"
#include "models/layout.h"
#include "models/qwen3_text_model.h"
#include "models/qwen_vision_tower.h"
#include "models/vl_adapter.h"

namespace ramet {

struct Gr00tN17Sizes {
  QwenVisionConfig vision;
  Qwen3TextConfig text;  // num_hidden_layers: the layers that are kept
  VlAdapterConfig adapter;
  ActionHeadConfig head;
};

// Numbers of blocks whose tensors a checkpoint holds.
struct Gr00tN17Depths {
  int64_t vision_blocks = 0, text_layers = 0, vl_self_attention_blocks = 0, dit_blocks = 0;
};
Gr00tN17Depths stored_depths(const Checkpoint& checkpoint);

class Gr00tN17Model {
 public:
  Gr00tN17Model(WeightClaims& claims, const Gr00tN17Sizes& sizes);
  Program record(const Layout& layout, int64_t slot, int64_t steps) const;

 private:
  QwenVisionTower visual_;
  Qwen3TextModel language_model_;
  VlAdapter adapter_;
  ActionHead action_head_;
};

}  // namespace ramet
