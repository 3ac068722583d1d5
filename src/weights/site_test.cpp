#include "weights/site.h"

#include <gtest/gtest.h>

namespace ramet {
namespace {

TEST(Site, NamesProductsAlikeInAllVersions) {
  const auto site = [](std::string_view tensor, Category category) { return site_of(tensor, category); };
  EXPECT_EQ(site("backbone.model.model.visual.blocks.3.attn.qkv.weight", Category::vision), "vision.block.3.qkv");
  EXPECT_EQ(site("backbone.model.model.visual.blocks.3.attn.proj.weight", Category::vision), "vision.block.3.proj");
  EXPECT_EQ(site("model.visual.blocks.11.mlp.linear_fc1.weight", Category::vision), "vision.block.11.fc1");
  EXPECT_EQ(site("model.visual.patch_embed.proj.weight", Category::vision), "vision.embed");
  EXPECT_EQ(site("model.visual.merger.linear_fc2.weight", Category::vision_merger), "vision.merger.fc2");
  EXPECT_EQ(site("model.visual.deepstack_merger_list.2.linear_fc1.weight", Category::vision_merger),
            "vision.deepstack.2.fc1");
  EXPECT_EQ(site("a.vision_model.encoder.layers.0.self_attn.q_proj.weight", Category::vision), "vision.block.0.q_proj");
  EXPECT_EQ(site("a.vision_model.embeddings.patch_embedding.weight", Category::vision), "vision.embed");
  EXPECT_EQ(site("backbone.model.mlp1.1.weight", Category::projector), "connector.mlp1.1");
  EXPECT_EQ(site("backbone.eagle_linear.weight", Category::projector), "connector.eagle_linear");
  EXPECT_EQ(site("a.language_model.layers.2.mlp.gate_proj.weight", Category::llm), "llm.block.2.gate_proj");
  EXPECT_EQ(site("lm_head.weight", Category::lm_head), "llm.lm_head");
  EXPECT_EQ(
      site("action_head.vl_self_attention.transformer_blocks.1.attn1.to_out.0.weight", Category::vl_self_attention),
      "adapter.block.1.to_out");
  EXPECT_EQ(site("action_head.model.transformer_blocks.7.ff.net.0.proj.weight", Category::dit), "dit.block.7.ff1");
  EXPECT_EQ(site("action_head.model.transformer_blocks.7.ff.net.2.weight", Category::dit), "dit.block.7.ff2");
  EXPECT_EQ(site("action_head.model.proj_out_2.weight", Category::dit), "dit.proj_out_2");
  EXPECT_EQ(site("action_head.state_encoder.layer1.W", Category::encoders_slotted), "state_encoder.layer1");
  EXPECT_EQ(site("action_head.action_encoder.W2.W", Category::encoders_slotted), "action_encoder.W2");
}

}  // namespace
}  // namespace ramet
