// config.json of GR00T N1.5: the sizes and switches of the action head; the backbone's sizes follow from its tensors.
//
// A field that the file lacks has the released value. Errors: not_found, invalid_value, unsupported (what Ramet has no
// model for), with file and key. Source: spec gr00t-n1.5, section 2.2.
#pragma once

#include "base/json.h"

#include <ramet/error.h>

#include <cstdint>

namespace ramet {

struct Gr00tN15Config {
  int64_t select_layer = 12;   // LLM layers that are kept
  int64_t project_to_dim = 0;  // of eagle_linear; 0: none
  int64_t max_state_dim = 64;
  int64_t max_action_dim = 32;
  int64_t action_horizon = 16;  // the data configuration's replaces it
  int64_t backbone_embedding_dim = 2048;
  int64_t input_embedding_dim = 1536;  // of the DiT
  int64_t hidden_size = 1024;          // of the slotted MLPs
  int64_t num_inference_timesteps = 4;
  int64_t num_timestep_buckets = 1000;
  int64_t num_target_vision_tokens = 32;  // rows of future_tokens
  bool add_pos_embed = true;
  bool use_vlln = true;

  struct Transformer {
    int64_t num_layers, num_attention_heads, attention_head_dim;
  };
  Transformer diffusion_model_cfg{16, 32, 48};
  int64_t dit_output_dim = 1024;
  Transformer vl_self_attention_cfg{4, 32, 64};
};

Result<Gr00tN15Config> parse_gr00t_n15_config(const Json& root);

}  // namespace ramet
