// config.json of GR00T N1.6: the sizes and switches of the action head. Those of the backbone follow from its tensors.
//
// A field that the file lacks has the default of the original code; the released values differ in places.
// Errors: not_found, invalid_value, unsupported (what Ramet has no model for), with file and key.
// Source: spec gr00t-n1.6, section 2.2.
#pragma once

#include "policy/robot/model_config.h"

namespace ramet {

struct Gr00tN16Config {
  std::string model_name = "nvidia/Eagle-Block2A-2B-v2";
  int64_t backbone_embedding_dim = 2048;
  int64_t select_layer = 16;  // LLM layers that are kept
  int64_t max_state_dim = 29;
  int64_t max_action_dim = 29;
  int64_t action_horizon = 16;
  int64_t hidden_size = 1024;          // of the slotted MLPs, and the output width of the DiT
  int64_t input_embedding_dim = 1536;  // of the DiT
  int64_t max_num_embodiments = 32;
  int64_t max_seq_len = 1024;
  bool add_pos_embed = true;
  bool use_vlln = true;
  bool use_alternate_vl_dit = true;
  int64_t attend_text_every_n_blocks = 2;
  int64_t num_inference_timesteps = 4;
  int64_t num_timestep_buckets = 1000;
  DiffusionModelConfig diffusion_model_cfg;
};

// The values of the released 3B model.
Gr00tN16Config released_gr00t_n16_config();
Result<Gr00tN16Config> parse_gr00t_n16_config(const Json& root);

}  // namespace ramet
