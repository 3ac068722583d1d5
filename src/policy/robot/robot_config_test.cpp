#include "policy/robot/embodiment.h"
#include "policy/robot/gr00t_n17_config.h"
#include "policy/robot/observation.h"
#include "policy/robot/processor_config.h"
#include "policy/robot/statistics.h"
#include "policy/robot/test_support.h"
#include "support/assertions.h"

#include <gmock/gmock.h>

#include <fmt/format.h>

namespace ramet {
namespace {

using test::without_pictures;
using testing::ElementsAre;
using testing::HasSubstr;

JsonFile json(std::string_view text, std::string name = "file.json") {
  return JsonFile::parse(text, std::move(name)).value();
}

std::string with(std::string text, std::string_view from, std::string_view to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

const std::string kModality = R"({
  "video": {"delta_indices": [-15, 0], "modality_keys": ["wrist", "front"]},
  "state": {"delta_indices": [0], "modality_keys": ["pose", "grip"], "sin_cos_embedding_keys": null},
  "action": {"delta_indices": [0, 1, 2], "modality_keys": ["pose", "grip"], "mean_std_embedding_keys": ["grip"],
             "action_configs": [{"rep": "RELATIVE", "type": "EEF", "format": "XYZ_ROT6D", "state_key": "pose"},
                                {"rep": "absolute", "type": "non_eef", "format": "default", "state_key": null}]},
  "language": {"delta_indices": [0], "modality_keys": ["annotation.human.task"]},
  "rl_info": {"unknown": true}})";

auto modality(const std::string& text) { return parse_modality_config(json(text).root()); }

TEST(Modality, KeepsOrderAndUnderstandsEnumNamesAndValues) {
  const auto config = modality(kModality);
  ASSERT_OK(config);
  EXPECT_THAT(config->video.modality_keys, ElementsAre("wrist", "front"));
  EXPECT_THAT(config->video.delta_indices, ElementsAre(-15, 0));
  EXPECT_EQ(config->action_configs[0].format, ActionFormat::xyz_rot6d);
  EXPECT_EQ(config->action_configs[1].rep, ActionRepresentation::absolute);
  EXPECT_EQ(config->action_configs[1].state_key, "grip");
  EXPECT_TRUE(config->action.is_mean_std("grip"));
  const auto value = modality(with(kModality, "XYZ_ROT6D", "xyz+rotvec"));
  ASSERT_OK(value);
  EXPECT_EQ(value->action_configs[0].format, ActionFormat::xyz_rotvec);
}

TEST(Modality, RefusesWhatCannotBe) {
  EXPECT_CODE(modality(with(kModality, "\"video\"", "\"movie\"")), Code::not_found);
  EXPECT_CODE(modality(with(kModality, "[-15, 0]", "[]")), Code::invalid_value);
  EXPECT_CODE(modality(with(kModality, "[-15, 0]", "[0.5]")), Code::invalid_value);
  EXPECT_CODE(modality(with(kModality, R"(["wrist", "front"])", "[]")), Code::invalid_value);
  EXPECT_CODE(modality(with(kModality, R"(["wrist", "front"])", R"(["front", "front"])")), Code::invalid_value);
  EXPECT_CODE(modality(with(kModality, R"(["wrist", "front"])", R"(["front", ""])")), Code::invalid_value);
  EXPECT_CODE(modality(with(kModality, "RELATIVE", "SIDEWAYS")), Code::invalid_value);
  const auto count = modality(with(kModality, R"("modality_keys": ["pose", "grip"], "mean)",
                                   R"("modality_keys": ["pose", "grip", "more"], "mean)"));
  EXPECT_CODE(count, Code::invalid_value);
  EXPECT_THAT(count.error().where, HasSubstr("file.json: action.action_configs"));
}

auto processor(const std::string& fields) {
  return parse_processor_config(
      json(fmt::format(R"({{"processor_kwargs": {{"modality_configs": {{"arm": {}}}{}}}}})", kModality, fields))
          .root());
}

TEST(ProcessorConfig, AbsentFieldsHaveTheDefaultsOfTheCode) {
  const auto config = processor("");
  ASSERT_OK(config);
  EXPECT_THAT(config->tags(), ElementsAre("arm"));
  EXPECT_FALSE(config->image.use_albumentations || config->image.letter_box_transform);
  EXPECT_EQ(config->image.shortest_image_edge, 256);
  EXPECT_EQ(config->image.crop_fraction, 0.95);
  EXPECT_FALSE(config->image.image_target_size || config->image.image_crop_size);
  EXPECT_TRUE(config->formalize_language && config->clip_outliers);
  EXPECT_EQ(config->max_state_dim, 29);
  EXPECT_EQ(config->max_action_dim, 29);
  EXPECT_EQ(config->max_action_horizon, 50);
  EXPECT_FALSE(config->use_percentiles || config->use_relative_action || config->apply_sincos_state_encoding ||
               config->exclude_state);
  EXPECT_EQ(config->model_name, "nvidia/Cosmos-Reason2-2B");
}

TEST(ProcessorConfig, NullDiffersFromAbsent) {
  const auto config = processor(R"(, "shortest_image_edge": null, "crop_fraction": null, "max_state_dim": null,
                                     "image_target_size": [224, 256], "unknown": {}, "state_dropout_prob": 0.2)");
  ASSERT_OK(config);
  EXPECT_FALSE(config->image.shortest_image_edge || config->image.crop_fraction);
  EXPECT_EQ(config->image.image_target_size, (ImageSize{224, 256}));
  EXPECT_EQ(config->max_state_dim, 29);
}

TEST(ProcessorConfig, RefusesWrongValuesAndForeignFiles) {
  EXPECT_CODE(processor(R"(, "max_state_dim": 0)"), Code::invalid_value);
  EXPECT_CODE(processor(R"(, "max_state_dim": 132.5)"), Code::invalid_value);
  EXPECT_CODE(processor(R"(, "crop_fraction": 1.5)"), Code::invalid_value);
  EXPECT_CODE(processor(R"(, "image_crop_size": [230])"), Code::invalid_value);
  EXPECT_CODE(processor(R"(, "use_percentiles": "yes")"), Code::invalid_value);
  const auto n16 = parse_processor_config(json(R"({"processor_class": "Gr00tN1d6Processor"})").root());
  EXPECT_CODE(n16, Code::unsupported);
  EXPECT_CODE(parse_processor_config(json("{}").root()), Code::not_found);
  EXPECT_CODE(parse_processor_config(json(R"({"processor_kwargs": {"modality_configs": {}}})").root()),
              Code::invalid_file);
}

const std::string kStatistics = R"({"arm": {
  "state": {"pose": {"min": [0, 1], "max": [2, 3], "mean": [1, 2], "std": [1, 0], "q01": [0, 1], "q99": [2, 3]},
            "empty": {"min": [], "max": []}, "odd": {"min": [1], "max": [1, 2]}, "text": {"min": "low"}},
  "relative_action": {"pose": {"min": [[0, 1], [2, 3]], "max": [[4, 5], [6, 7]]}, "ragged": {"min": [[0], [1, 2]]}}}})";

TEST(Statistics, OneRowServesEveryStep) {
  const auto statistics = Statistics::parse(json(kStatistics, "statistics.json").root());
  ASSERT_OK(statistics);
  const auto pose = statistics->find("arm", StatisticsGroup::state, "pose");
  ASSERT_OK(pose);
  EXPECT_EQ(pose->dims(), 2);
  EXPECT_THAT(pose->require(Statistic::max)->row(17), ElementsAre(2, 3));
  const auto relative = statistics->find("arm", StatisticsGroup::relative_action, "pose");
  ASSERT_OK(relative);
  EXPECT_THAT(relative->require(Statistic::max)->row(1), ElementsAre(6, 7));
}

TEST(Statistics, WhatIsWrongIsToldWhenAskedFor) {
  const auto statistics = Statistics::parse(json(kStatistics, "statistics.json").root());
  ASSERT_OK(statistics);
  const auto find = [&](StatisticsGroup group, const std::string& key) { return statistics->find("arm", group, key); };
  const auto empty = find(StatisticsGroup::state, "empty");
  ASSERT_OK(empty);
  EXPECT_EQ(empty->dims(), 0);
  EXPECT_CODE(empty->require(Statistic::min), Code::invalid_file);
  EXPECT_EQ(empty->require(Statistic::q01).error().where, "statistics.json: arm.state.empty.q01");
  EXPECT_CODE(find(StatisticsGroup::state, "odd"), Code::invalid_file);
  EXPECT_CODE(find(StatisticsGroup::state, "text"), Code::invalid_value);
  EXPECT_CODE(find(StatisticsGroup::relative_action, "ragged"), Code::invalid_file);
  EXPECT_CODE(find(StatisticsGroup::action, "pose"), Code::not_found);
  const auto foreign = statistics->find("leg", StatisticsGroup::state, "pose");
  EXPECT_CODE(foreign, Code::not_found);
  EXPECT_THAT(foreign.error().hint, HasSubstr("arm"));
}

TEST(Embodiment, ResolvesTagsAndEnumNamesInAnyCase) {
  const std::vector<std::string> available{"libero_sim", "simpler_env_widowx"};
  EXPECT_EQ(resolve_tag("libero_sim", available), "libero_sim");
  EXPECT_EQ(resolve_tag("Libero_Sim", available), "libero_sim");
  EXPECT_EQ(resolve_tag("libero_panda", available), "libero_sim");
  EXPECT_EQ(resolve_tag("", {"only"}), "only");
  EXPECT_EQ(resolve_tag("Only", {"only"}), "only");
  EXPECT_CODE(resolve_tag("", available), Code::usage);
  const auto unknown = resolve_tag("UNITREE_G1", available);
  EXPECT_CODE(unknown, Code::not_found);
  EXPECT_THAT(unknown.error().expected, HasSubstr("libero_sim, simpler_env_widowx"));
}

TEST(Embodiment, TheFileWinsOverTheTable) {
  EXPECT_EQ(builtin_embodiment_ids().slot("robocasa_panda_omron", 32), 10);
  const auto ids = parse_embodiment_ids(json(R"({"robocasa_panda_omron": 13, "mine": 31})").root());
  ASSERT_OK(ids);
  EXPECT_EQ(ids->slot("robocasa_panda_omron", 32), 13);
  EXPECT_EQ(ids->slot("unitree_g1_sonic", 32), 11);
  EXPECT_EQ(ids->slot("mine", 32), 31);
  EXPECT_CODE(ids->slot("mine", 31), Code::invalid_value);
  EXPECT_CODE(ids->slot("yours", 32), Code::not_found);
  EXPECT_CODE(parse_embodiment_ids(json(R"({"mine": -1})").root()), Code::invalid_value);
  EXPECT_CODE(parse_embodiment_ids(json(R"({"mine": "2"})").root()), Code::invalid_value);
}

auto model(const std::string& fields) {
  return parse_gr00t_n17_config(json(R"({"model_type": "Gr00tN1d7")" + fields + "}", "config.json").root());
}

TEST(Gr00tN17Config, DefaultsAreThoseOfTheCode) {
  const auto config = model("");
  ASSERT_OK(config);
  EXPECT_EQ(config->select_layer, 12);
  EXPECT_EQ(config->diffusion_model_cfg.num_layers, 16);
  EXPECT_EQ(config->vl_self_attention_cfg.num_layers, 0);
  const Gr00tN17Config released = released_gr00t_n17_config();
  EXPECT_EQ(released.select_layer, 16);
  EXPECT_EQ(released.diffusion_model_cfg.num_layers, 32);
  EXPECT_EQ(released.vl_self_attention_cfg.num_layers, 4);
}

TEST(Gr00tN17Config, RefusesOtherModelsAndWhatHasNoImplementation) {
  EXPECT_CODE(parse_gr00t_n17_config(json(R"({"model_type": "gr00t_n1_5"})").root()), Code::unsupported);
  EXPECT_CODE(parse_gr00t_n17_config(json("{}").root()), Code::not_found);
  for (const std::string key : {"reproject_vision", "use_tactile", "use_future_tokens"})
    EXPECT_CODE(model(fmt::format(R"(, "{}": true)", key)), Code::unsupported);
  EXPECT_CODE(model(R"(, "backbone_model_type": "eagle")"), Code::unsupported);
  EXPECT_CODE(model(R"(, "diffusion_model_cfg": {"norm_type": "layer_norm"})"), Code::unsupported);
  EXPECT_CODE(model(R"(, "diffusion_model_cfg": {"interleave_self_attention": false})"), Code::unsupported);
  EXPECT_CODE(model(R"(, "vl_self_attention_cfg": {"positional_embeddings": "sinusoidal"})"), Code::unsupported);
}

TEST(Gr00tN17Config, RefusesSizesThatDisagree) {
  EXPECT_CODE(model(R"(, "select_layer": 0)"), Code::invalid_value);
  EXPECT_CODE(model(R"(, "hidden_size": 9000000000)"), Code::invalid_value);
  EXPECT_CODE(model(R"(, "input_embedding_dim": 1535)"), Code::invalid_value);
  EXPECT_CODE(model(R"(, "hidden_size": 512)"), Code::invalid_value);
  EXPECT_CODE(model(R"(, "action_horizon": 2000)"), Code::invalid_value);
  const auto heads = model(R"(, "vl_self_attention_cfg": {"num_layers": 4, "num_attention_heads": 31})");
  EXPECT_CODE(heads, Code::invalid_value);
  EXPECT_THAT(heads.error().where, HasSubstr("config.json: vl_self_attention_cfg"));
}

auto observation(std::string_view text) { return parse_observation(json(text, "obs.json").root(), "folder"); }

TEST(Observation, PrefixesAndSingleRowsAreEqualToThePlainForm) {
  const auto plain =
      observation(R"({"embodiment_tag": "arm", "video": {"wrist": ["a.png"]}, "state": {"grip": [[1, 2]]},
                                     "language": {"annotation.human.task": "go"}})");
  const auto prefixed =
      observation(R"({"embodiment_tag": "arm", "video.wrist": "a.png", "state": {"state.grip": [1, 2]},
                                        "annotation.human.task": ["go"], "timestamps": [0]})");
  ASSERT_OK(plain);
  ASSERT_OK(prefixed);
  EXPECT_EQ(plain->video, prefixed->video);
  EXPECT_EQ(plain->state, prefixed->state);
  EXPECT_EQ(plain->language, prefixed->language);
  EXPECT_THAT(plain->video.at("wrist"), ElementsAre(std::filesystem::path("folder/a.png")));
}

TEST(Observation, RefusesMalformedFields) {
  EXPECT_CODE(observation("[]"), Code::invalid_value);
  EXPECT_CODE(observation(R"({"vidoe": {}})"), Code::surplus);
  EXPECT_CODE(observation(R"({"video": {"wrist": [1]}})"), Code::invalid_value);
  EXPECT_CODE(observation(R"({"video": {"wrist": [""]}})"), Code::invalid_value);
  EXPECT_CODE(observation(R"({"video": {"wrist": ["a"], "video.wrist": ["b"]}})"), Code::invalid_value);
  EXPECT_CODE(observation(R"({"state": {"grip": "open"}})"), Code::invalid_value);
  EXPECT_CODE(observation(R"({"state": {"grip": [[1e39]]}})"), Code::invalid_value);
  EXPECT_CODE(observation(R"({"language": {"task": ["a", "b"]}})"), Code::invalid_value);
  EXPECT_CODE(observation(R"({"embodiment_tag": 3})"), Code::invalid_value);
  EXPECT_CODE(load_observation("/nowhere/obs.json"), Code::not_found);
}

const std::string kObservation = R"({"video": {"wrist": ["a.png", "b.png"], "front": ["c.png", "d.png"]},
                                     "language": {"annotation.human.task": "go"}})";

Error problem(const std::string& text) {
  const auto status = check(without_pictures(observation(text).value()), modality(kModality).value());
  return status ? Error{} : status.error();
}

TEST(Observation, CheckNamesWhatTheRobotNeeds) {
  EXPECT_EQ(problem(kObservation).where, "");
  EXPECT_EQ(problem(with(kObservation, R"({"annotation.human.task": "go"})", R"("")")).where, "");
  const Error missing = problem(with(kObservation, "front", "rear"));
  EXPECT_EQ(missing.code, Code::not_found);
  EXPECT_EQ(missing.hint, "the robot needs 2 frames of each of: wrist, front");
  EXPECT_EQ(problem(with(kObservation, R"("front")", R"("rear": ["x", "y"], "front")")).code, Code::surplus);
  EXPECT_EQ(problem(with(kObservation, R"(, "b.png")", "")).code, Code::shape_mismatch);
  const Error language = problem(with(kObservation, "annotation.human.task", "task"));
  EXPECT_EQ(language.code, Code::not_found);
  EXPECT_THAT(language.hint, HasSubstr("annotation.human.task"));
  EXPECT_EQ(problem(with(kObservation, R"("go"})", R"("go", "more": "x"})")).code, Code::surplus);
}

TEST(Observation, InstructionsHaveALimit) {
  const Modality language = modality(kModality)->language;
  EXPECT_EQ(instruction(without_pictures(observation(kObservation).value()), language), "go");
  const std::string longest(kMaxInstructionBytes, 'a');
  EXPECT_OK(instruction(without_pictures(observation(R"({"language": ")" + longest + "\"}").value()), language));
  EXPECT_CODE(instruction(without_pictures(observation(R"({"language": ")" + longest + "a\"}").value()), language),
              Code::invalid_value);
}

}  // namespace
}  // namespace ramet
