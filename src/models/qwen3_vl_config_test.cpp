// config.json of the Qwen family: the published file, both spellings of the rotary settings, and everything to refuse.
#include "models/qwen3_vl_config.h"

#include "support/assertions.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace ramet {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

// Qwen/Qwen3-VL-2B-Instruct as published, without what nothing reads.
json published_2b() {
  return json::parse(R"({
    "model_type": "qwen3_vl", "image_token_id": 151655, "video_token_id": 151656,
    "vision_start_token_id": 151652, "vision_end_token_id": 151653, "tie_word_embeddings": true,
    "text_config": {
      "attention_bias": false, "head_dim": 128, "hidden_act": "silu", "hidden_size": 2048, "intermediate_size": 6144,
      "model_type": "qwen3_vl_text", "num_attention_heads": 16, "num_hidden_layers": 28, "num_key_value_heads": 8,
      "rms_norm_eps": 1e-06, "rope_theta": 5000000, "vocab_size": 151936,
      "rope_scaling": {"mrope_interleaved": true, "mrope_section": [24, 20, 20], "rope_type": "default"}},
    "vision_config": {
      "deepstack_visual_indexes": [5, 11, 17], "depth": 24, "hidden_act": "gelu_pytorch_tanh", "hidden_size": 1024,
      "in_channels": 3, "intermediate_size": 4096, "num_heads": 16, "num_position_embeddings": 2304,
      "out_hidden_size": 2048, "patch_size": 16, "spatial_merge_size": 2, "temporal_patch_size": 2}})");
}

Result<Qwen3VlConfig> parse(const json& document) {
  RAMET_TRY(const JsonFile file, JsonFile::parse(document.dump(), "config.json"));
  return parse_qwen3_vl_config(file.root());
}

void expect_refused(const json& document, Code code, const std::string& where) {
  SCOPED_TRACE(where);
  const auto config = parse(document);
  EXPECT_CODE(config, code);
  EXPECT_THAT(config.error().where, HasSubstr("config.json: "));
  EXPECT_THAT(config.error().where, HasSubstr(where));
}

// `part` is "", "text_config" or "vision_config"; a null takes the key away.
json with(const std::string& part, const std::string& key, const json& value) {
  json document = published_2b();
  json& object = part.empty() ? document : document[part];
  if (value.is_null())
    object.erase(key);
  else
    object[key] = value;
  return document;
}

TEST(QwenConfig, PublishedFileIsTheTable) {
  const auto config = parse(published_2b());
  ASSERT_OK(config);
  const Qwen3VlConfig table = *published_qwen3_vl_config("Qwen/Qwen3-VL-2B-Instruct");
  EXPECT_EQ(config->model_type, table.model_type);
  EXPECT_EQ(config->vision.depth, table.vision.depth);
  EXPECT_EQ(config->vision.hidden_size, table.vision.hidden_size);
  EXPECT_EQ(config->vision.intermediate_size, table.vision.intermediate_size);
  EXPECT_EQ(config->vision.deepstack_visual_indexes, table.vision.deepstack_visual_indexes);
  EXPECT_EQ(config->vision.head_dim(), 64);
  EXPECT_EQ(config->vision.position_side(), 48);
  EXPECT_EQ(config->text->num_hidden_layers, table.text->num_hidden_layers);
  EXPECT_EQ(config->text->head_dim, table.text->head_dim);
  EXPECT_EQ(config->text->rope_theta, table.text->rope_theta);
  EXPECT_EQ(config->text->rms_norm_eps, table.text->rms_norm_eps);
  EXPECT_EQ(config->text->mrope_section, table.text->mrope_section);
  EXPECT_TRUE(config->text->tie_word_embeddings);
  EXPECT_EQ(config->image_token_id, table.image_token_id);
  EXPECT_EQ(config->vision_end_token_id, table.vision_end_token_id);
}

TEST(QwenConfig, EveryMissingKeyIsNamed) {
  for (const char* key : {"model_type", "image_token_id", "video_token_id", "vision_start_token_id",
                          "vision_end_token_id", "text_config", "vision_config"})
    expect_refused(with("", key, {}), Code::not_found, key);
  for (const char* key :
       {"depth", "hidden_size", "num_heads", "intermediate_size", "out_hidden_size", "num_position_embeddings",
        "in_channels", "patch_size", "temporal_patch_size", "spatial_merge_size"})
    expect_refused(with("vision_config", key, {}), Code::not_found, std::string("vision_config.") + key);
  for (const char* key : {"head_dim", "hidden_size", "intermediate_size", "num_attention_heads", "num_hidden_layers",
                          "num_key_value_heads", "rms_norm_eps", "rope_theta", "vocab_size", "rope_scaling"})
    expect_refused(with("text_config", key, {}), Code::not_found, std::string("text_config.") + key);
}

TEST(QwenConfig, OptionalKeys) {
  ASSERT_OK(parse(with("vision_config", "hidden_act", {})));
  const auto no_levels = parse(with("vision_config", "deepstack_visual_indexes", {}));
  ASSERT_OK(no_levels);
  EXPECT_TRUE(no_levels->vision.deepstack_visual_indexes.empty());
  json document = published_2b();
  document["text_config"]["rope_scaling"].erase("mrope_interleaved");
  document["text_config"]["rope_scaling"].erase("rope_type");
  document["vision_config"]["fullatt_block_indexes"] = {7};
  document["anything"] = {{"else", 1}};
  EXPECT_OK(parse(document));
}

TEST(QwenConfig, TiedFlagOfTheTopWins) {
  json document = published_2b();
  document["text_config"]["tie_word_embeddings"] = false;
  EXPECT_TRUE(parse(document)->text->tie_word_embeddings);
  document.erase("tie_word_embeddings");
  EXPECT_FALSE(parse(document)->text->tie_word_embeddings);
  document["text_config"].erase("tie_word_embeddings");
  EXPECT_FALSE(parse(document)->text->tie_word_embeddings);
}

TEST(QwenConfig, RopeParametersOfTransformersFive) {
  json document = published_2b();
  json& text = document["text_config"];
  text["rope_parameters"] = {{"rope_theta", 7e6}, {"rope_type", "default"}, {"mrope_section", {20, 22, 22}}};
  text.erase("rope_scaling");
  text.erase("rope_theta");
  const auto config = parse(document);
  ASSERT_OK(config);
  EXPECT_EQ(config->text->rope_theta, 7e6);
  EXPECT_THAT(config->text->mrope_section, ElementsAre(20, 22, 22));
  for (const double theta : {1e300, 0.5, -1e6}) {
    text["rope_parameters"]["rope_theta"] = theta;
    expect_refused(document, Code::invalid_value, "rope_theta");
  }
  text["rope_parameters"].erase("rope_theta");
  expect_refused(document, Code::not_found, "rope_theta");
}

TEST(QwenConfig, UnsupportedRopeAndActivations) {
  json document = published_2b();
  document["text_config"]["rope_scaling"]["mrope_interleaved"] = false;
  expect_refused(document, Code::unsupported, "text_config.rope_scaling.mrope_interleaved");
  document = published_2b();
  document["text_config"]["rope_scaling"]["rope_type"] = "yarn";
  expect_refused(document, Code::unsupported, "text_config.rope_scaling.rope_type");
  document = published_2b();
  document["vision_config"]["rope_parameters"] = {{"rope_theta", 20000}};
  expect_refused(document, Code::unsupported, "vision_config.rope_parameters.rope_theta");
  document["vision_config"]["rope_parameters"] = {{"rope_theta", 10000}, {"rope_type", "linear"}};
  expect_refused(document, Code::unsupported, "vision_config.rope_parameters.rope_type");
  document["vision_config"]["rope_parameters"] = {{"rope_theta", 10000}, {"rope_type", "axial"}};
  EXPECT_OK(parse(document));
  expect_refused(with("vision_config", "hidden_act", "gelu"), Code::unsupported, "vision_config.hidden_act");
  expect_refused(with("text_config", "hidden_act", "relu"), Code::unsupported, "text_config.hidden_act");
  expect_refused(with("text_config", "attention_bias", true), Code::unsupported, "text_config.attention_bias");
}

TEST(QwenConfig, SizesThatCannotBe) {
  for (const json& value : {json(0), json(-1), json((int64_t{1} << 24) + 1)}) {
    expect_refused(with("vision_config", "depth", value), Code::invalid_value, "vision_config.depth");
    expect_refused(with("text_config", "vocab_size", value), Code::invalid_value, "text_config.vocab_size");
  }
  expect_refused(with("vision_config", "num_heads", 15), Code::invalid_value, "vision_config.num_heads");
  expect_refused(with("vision_config", "num_heads", 512), Code::invalid_value, "vision_config.num_heads");
  expect_refused(with("vision_config", "num_position_embeddings", 2300), Code::invalid_value,
                 "vision_config.num_position_embeddings");
  expect_refused(with("vision_config", "depth", "24"), Code::invalid_value, "vision_config.depth");
  expect_refused(with("text_config", "num_key_value_heads", 3), Code::invalid_value, "num_key_value_heads");
  expect_refused(with("text_config", "head_dim", 127), Code::invalid_value, "text_config.head_dim");
  expect_refused(with("text_config", "rms_norm_eps", 0), Code::invalid_value, "text_config.rms_norm_eps");
  expect_refused(with("text_config", "rope_theta", -5e6), Code::invalid_value, "text_config.rope_theta");
}

TEST(QwenConfig, DeepstackLevels) {
  const char* where = "vision_config.deepstack_visual_indexes";
  for (const json& levels : {json{5, 11, 24}, json{-1, 5}, json{5, 5, 17}, json{11, 5}})
    expect_refused(with("vision_config", "deepstack_visual_indexes", levels), Code::invalid_value, where);
  EXPECT_OK(parse(with("vision_config", "deepstack_visual_indexes", {0, 23})));
}

TEST(QwenConfig, MropeSections) {
  for (const json& section : {json{24, 20}, json{24, 20, 21}, json{-1, 45, 20}, json{24, 20, 20, 0}}) {
    json document = published_2b();
    document["text_config"]["rope_scaling"]["mrope_section"] = section;
    expect_refused(document, Code::invalid_value, "text_config.rope_scaling.mrope_section");
  }
}

TEST(QwenConfig, TowerMustFeedTheTextModel) {
  expect_refused(with("vision_config", "out_hidden_size", 3584), Code::invalid_value, "out_hidden_size");
  json document = with("vision_config", "out_hidden_size", 3584);
  document["model_type"] = "qwen3_5";
  expect_refused(document, Code::invalid_value, "out_hidden_size");
}

// Of their text stacks Ramet has no model: what describes them is not read.
TEST(QwenConfig, TowersWithoutTextStack) {
  for (const char* type : {"qwen3_vl_moe", "qwen3_5", "qwen3_5_moe"}) {
    json document = with("", "model_type", type);
    document["text_config"] = {{"hidden_size", 2048}};
    const auto config = parse(document);
    ASSERT_OK(config);
    EXPECT_FALSE(config->text) << type;
  }
  expect_refused(with("", "model_type", "qwen2_5_vl"), Code::unsupported, "model_type");
}

}  // namespace
}  // namespace ramet
