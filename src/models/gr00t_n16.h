// GR00T N1.6: SigLIP2 tower, Eagle connector, Qwen3 text stack with its final norm, flow-matching action head.
//
// The program's inputs: pixels [patches, 588], input_ids [tokens] i64, state [state steps, max_state_dim],
// noise [action_horizon, action_dim]; its output: actions [action_horizon, action_dim], normalised.
// Stages: vision, llm, adapter, denoise.  Source: spec gr00t-n1.6, section 4.
#pragma once

#include "models/action_head.h"
#include "models/eagle_connector.h"
#include "models/layout.h"
#include "models/qwen3_text_model.h"
#include "models/siglip2_embedding.h"
#include "models/siglip_encoder.h"
#include "models/vl_adapter.h"

#include <ramet/error.h>

namespace ramet {

// What config.json does not tell: the backbone's geometry follows from its tensors.
struct EagleBackboneSizes {
  Siglip2EmbeddingConfig embedding;
  SiglipConfig vision;
  Qwen3TextConfig text;  // num_hidden_layers: the layers that are stored
};

// Errors: not_found (a tensor that tells a size), shape_mismatch (one of another rank or with odd heads).
Result<EagleBackboneSizes> stored_eagle_sizes(const Checkpoint& checkpoint);

struct Gr00tN16Sizes {
  EagleBackboneSizes backbone;
  VlAdapterConfig adapter;  // vlln only
  ActionHeadConfig head;
};

class Gr00tN16Model {
 public:
  Gr00tN16Model(WeightClaims& claims, const Gr00tN16Sizes& sizes);

  struct Variant {
    int64_t slot = 0;
    int64_t state_steps = 1;  // one token each
    int64_t steps = 4;        // of denoising
  };
  Program record(const Layout& layout, const Variant& variant) const;

 private:
  Value record_vision(Recorder& rec, const Layout& layout) const;

  Gr00tN16Sizes sizes_;
  Siglip2Embedding embeddings_;
  SiglipEncoder vision_model_;
  EagleConnector mlp1_;
  Qwen3TextModel language_model_;
  Weight norm_;  // [text hidden_size]
  VlAdapter adapter_;
  ActionHead action_head_;
};

// Blocks of the denoiser that a checkpoint holds.
int64_t stored_dit_blocks(const Checkpoint& checkpoint);

}  // namespace ramet
