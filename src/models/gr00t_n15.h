// GR00T N1.5: SigLIP tower, one linear projector, Qwen3 text stack with its final norm, VL self-attention,
// flow-matching action head with future tokens.
//
// The program's inputs: pixels [pictures, 3, 224, 224], input_ids [tokens] i64, state [1, max_state_dim],
// noise [action_horizon, action_dim]; its output: actions [action_horizon, action_dim], normalised.
// Stages: vision, llm, adapter, denoise.  Source: spec gr00t-n1.5, sections 4 and 6.
#pragma once

#include "models/action_head.h"
#include "models/layout.h"
#include "models/qwen3_text_model.h"
#include "models/siglip_embedding.h"
#include "models/siglip_encoder.h"
#include "models/vl_adapter.h"

#include <ramet/error.h>

namespace ramet {

// What config.json does not tell: the backbone's geometry follows from its tensors.
struct Gr00tN15Backbone {
  SiglipEmbeddingConfig embedding;
  SiglipConfig vision;
  Qwen3TextConfig text;        // num_hidden_layers: the layers that are stored
  int64_t project_to_dim = 0;  // of eagle_linear; 0: the identity

  int64_t features_dim() const { return project_to_dim > 0 ? project_to_dim : text.hidden_size; }
};
// Errors: not_found (a tensor that tells a size), shape_mismatch (one of another rank or with odd heads).
Result<Gr00tN15Backbone> stored_n15_backbone(const Checkpoint& checkpoint);

struct Gr00tN15Sizes {
  Gr00tN15Backbone backbone;
  VlAdapterConfig adapter;
  ActionHeadConfig head;
};

// What the action head's tensors tell beside config.json; 0 where a tensor is missing.
struct Gr00tN15Stored {
  int64_t vl_self_attention_blocks = 0, dit_blocks = 0;
  int64_t slots = 0, position_rows = 0, future_tokens = 0;
};
Gr00tN15Stored stored_n15_head(const Checkpoint& checkpoint);

class Gr00tN15Model {
 public:
  Gr00tN15Model(WeightClaims& claims, const Gr00tN15Sizes& sizes);
  Program record(const Layout& layout, int64_t slot, int64_t steps) const;

 private:
  Value record_vision(Recorder& rec, const Layout& layout) const;
  Value record_features(Recorder& rec, const Layout& layout, Value merged) const;

  Gr00tN15Sizes sizes_;
  SiglipEmbedding embeddings_;
  SiglipEncoder vision_model_;
  LinearWeights mlp1_;
  Qwen3TextModel language_model_;
  Weight norm_;                 // [text hidden_size]
  LinearWeights eagle_linear_;  // absent without project_to_dim
  VlAdapter adapter_;
  ActionHead action_head_;
};

}  // namespace ramet
