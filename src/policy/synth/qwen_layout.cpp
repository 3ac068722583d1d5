#include "policy/synth/qwen_layout.h"

#include "models/qwen3_vl.h"

#include <nlohmann/json.hpp>

namespace ramet {
namespace {

using nlohmann::json;

// The sizes of the golden cases qwen3vl_full and qwen35_tower_72.
Qwen3VlConfig tiny(Qwen3VlConfig c) {
  const bool has_deepstack = !c.vision.deepstack_visual_indexes.empty();
  const int64_t head_dim = c.vision.head_dim();
  c.vision.depth = 5;
  c.vision.num_heads = 2;
  c.vision.hidden_size = 2 * head_dim;
  c.vision.intermediate_size = 320;
  c.vision.out_hidden_size = 192;
  if (has_deepstack) c.vision.deepstack_visual_indexes = {1, 2, 3};
  if (!c.text) return c;
  c.text->num_hidden_layers = 5;
  c.text->hidden_size = 192;
  c.text->num_attention_heads = 4;
  c.text->num_key_value_heads = 2;
  c.text->intermediate_size = 352;
  return c;
}

json vision_json(const Qwen3VlConfig& config) {
  const QwenVisionConfig& c = config.vision;
  return {{"depth", c.depth},
          {"deepstack_visual_indexes", c.deepstack_visual_indexes},
          {"hidden_act", "gelu_pytorch_tanh"},
          {"hidden_size", c.hidden_size},
          {"in_channels", c.in_channels},
          {"intermediate_size", c.intermediate_size},
          {"model_type", config.model_type},
          {"num_heads", c.num_heads},
          {"num_position_embeddings", c.num_position_embeddings},
          {"out_hidden_size", c.out_hidden_size},
          {"patch_size", c.patch_size},
          {"spatial_merge_size", c.spatial_merge_size},
          {"temporal_patch_size", c.temporal_patch_size}};
}

json text_json(const Qwen3TextConfig& c) {
  return {{"attention_bias", false},
          {"head_dim", c.head_dim},
          {"hidden_act", "silu"},
          {"hidden_size", c.hidden_size},
          {"intermediate_size", c.intermediate_size},
          {"model_type", "qwen3_vl_text"},
          {"num_attention_heads", c.num_attention_heads},
          {"num_hidden_layers", c.num_hidden_layers},
          {"num_key_value_heads", c.num_key_value_heads},
          {"rms_norm_eps", c.rms_norm_eps},
          {"rope_scaling", {{"mrope_interleaved", true}, {"mrope_section", c.mrope_section}, {"rope_type", "default"}}},
          {"rope_theta", c.rope_theta},
          {"tie_word_embeddings", c.tie_word_embeddings},
          {"vocab_size", c.vocab_size}};
}

std::string architecture(const std::string& model_type) {
  if (model_type == "qwen3_5") return "Qwen3_5ForConditionalGeneration";
  return model_type == "qwen3_vl_moe" ? "Qwen3VLMoeForConditionalGeneration" : "Qwen3VLForConditionalGeneration";
}

// `size` holds areas in pixels.
std::string processor_json(const char* type_key, const char* type, int64_t min_pixels, int64_t max_pixels) {
  const json processor{{"image_mean", {0.5, 0.5, 0.5}},
                       {"image_std", {0.5, 0.5, 0.5}},
                       {"merge_size", 2},
                       {"patch_size", 16},
                       {"processor_class", "Qwen3VLProcessor"},
                       {"size", {{"longest_edge", max_pixels}, {"shortest_edge", min_pixels}}},
                       {"temporal_patch_size", 2},
                       {type_key, type}};
  return processor.dump(2) + "\n";
}

}  // namespace

json qwen_config_json(const Qwen3VlConfig& config) {
  json root{{"architectures", {architecture(config.model_type)}},
            {"image_token_id", config.image_token_id},
            {"model_type", config.model_type},
            {"video_token_id", config.video_token_id},
            {"vision_config", vision_json(config)},
            {"vision_end_token_id", config.vision_end_token_id},
            {"vision_start_token_id", config.vision_start_token_id}};
  root["text_config"] = config.text ? text_json(*config.text) : json{{"hidden_size", config.vision.out_hidden_size}};
  if (config.text) root["tie_word_embeddings"] = config.text->tie_word_embeddings;
  return root;
}

std::vector<TensorSpec> claimed_tensors(const WeightClaims& claims) {
  std::vector<TensorSpec> tensors;
  for (const WeightClaims::Wish& wish : claims.wishes()) tensors.push_back({wish.name, DType::bf16, wish.shape});
  return tensors;
}

SynthLayout qwen_layout(const Qwen3VlConfig& published, SynthSize size) {
  const Qwen3VlConfig config = size == SynthSize::tiny ? tiny(published) : published;
  const Checkpoint none;
  WeightClaims claims(none);
  if (config.text)
    Qwen3VlModel(claims, config.vision, *config.text);
  else
    QwenVisionTower(WeightScope(claims, "model.visual", Category::vision), config.vision);
  return {.files = {{"config.json", qwen_config_json(config).dump(2) + "\n"},
                    {"preprocessor_config.json",
                     processor_json("image_processor_type", "Qwen2VLImageProcessorFast", 65536, 16777216)},
                    {"video_preprocessor_config.json",
                     processor_json("video_processor_type", "Qwen3VLVideoProcessor", 4096, 25165824)}},
          .tensors = claimed_tensors(claims)};
}

}  // namespace ramet
