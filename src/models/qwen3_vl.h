// A whole Qwen3-VL model up to the logits of the next token (prefill), and its tower alone.
//
// Inputs: pixels [patches, 1536], input_ids [tokens] i64.  Outputs: hidden [tokens, hidden_size] after the final norm,
// logits [1, vocab_size] of the last token.  Stages: vision, llm.  Source: spec qwen3-vl, section 5.
#pragma once

#include "models/layout.h"
#include "models/qwen3_text_model.h"
#include "models/qwen_vision_tower.h"

#include <string>

namespace ramet {

class Qwen3VlModel {
 public:
  // Keys as published: model.visual.*, model.language_model.*, lm_head.weight unless tied.
  Qwen3VlModel(WeightClaims& claims, const QwenVisionConfig& vision, const Qwen3TextConfig& text);
  Program record(const Layout& layout) const;

 private:
  QwenVisionTower visual_;
  Qwen3TextModel language_model_;
  Weight norm_, lm_head_;
};

// The tower by itself. Input: pixels; outputs: out, deepstack.K; stage: vision.
Program record_tower(const QwenVisionTower& tower, const std::vector<Grid>& grids, Frames frames);

}  // namespace ramet
