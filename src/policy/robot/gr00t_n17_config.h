// config.json of GR00T N1.7: the sizes and switches of the model.
//
// A field that the file lacks has the default of the original code; the released values differ in places. Sizes of
// tensors are taken from the tensors and checked against these. Errors: not_found, invalid_value, unsupported (what
// Ramet has no model for), with file and key. Source: spec gr00t-n1.7, section 1.2.
#pragma once

#include "policy/robot/model_config.h"

#include <ramet/error.h>

#include <cstdint>
#include <string>

namespace ramet {

struct VlSelfAttentionConfig {
  int64_t num_layers = 0;  // 0: the stage is the identity
  int64_t num_attention_heads = 32;
  int64_t attention_head_dim = 64;
};

struct Gr00tN17Config {
  std::string model_name = "nvidia/Cosmos-Reason2-2B";
  int64_t backbone_embedding_dim = 2048;
  int64_t select_layer = 12;  // LLM layers that are kept
  int64_t max_state_dim = 132;
  int64_t max_action_dim = 132;
  int64_t action_horizon = 40;
  int64_t hidden_size = 1024;          // of the slotted MLPs, and the output width of the DiT
  int64_t input_embedding_dim = 1536;  // of the DiT
  int64_t state_history_length = 1;
  int64_t max_num_embodiments = 32;
  int64_t max_seq_len = 1024;
  bool add_pos_embed = true;
  bool use_vlln = true;
  bool use_alternate_vl_dit = true;
  int64_t attend_text_every_n_blocks = 2;
  int64_t num_inference_timesteps = 4;
  int64_t num_timestep_buckets = 1000;
  double rtc_ramp_rate = 6;
  DiffusionModelConfig diffusion_model_cfg;
  VlSelfAttentionConfig vl_self_attention_cfg;
};

Result<Gr00tN17Config> parse_gr00t_n17_config(const Json& root);
// The values of the released 3B model, for LeRobot directories, whose config.json holds no model sizes.
Gr00tN17Config released_gr00t_n17_config();

}  // namespace ramet
