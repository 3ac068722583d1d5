#include "policy/gr00t_n17_recipe.h"

#include "policy/image/patch_rows.h"
#include "policy/text/formalize.h"
#include "policy/text/positions.h"
#include "policy/text/tokenizer_search.h"
#include "weights/checkpoint_kind.h"
#include "weights/finite.h"

#include <fmt/format.h>

namespace ramet {
namespace {

namespace fs = std::filesystem;

TextLayout text_layout(std::span<const int64_t> ids, const MropePositions& positions, int64_t image_pad) {
  TextLayout layout;
  const auto tokens = static_cast<ptrdiff_t>(ids.size());
  for (size_t axis = 0; axis < 3; ++axis) {
    const auto begin = positions.values.begin() + static_cast<ptrdiff_t>(axis) * tokens;
    layout.positions[axis].assign(begin, begin + tokens);
  }
  for (size_t token = 0; token < ids.size(); ++token)
    if (ids[token] == image_pad) layout.visual_rows.push_back(static_cast<int64_t>(token));
  return layout;
}

Result<Tokenizer> load_tokenizer(const fs::path& directory, const BackboneConfig& backbone,
                                 const EngineOptions& options) {
  RAMET_TRY(const fs::path path, find_tokenizer({.chosen = options.tokenizer,
                                                 .checkpoint = directory,
                                                 .backbone = backbone.directory,
                                                 .installed = options.data_dirs}));
  return Tokenizer::load(path, TokenizerFamily::qwen3_vl);
}

Status check_special_tokens(const Tokenizer& tokenizer, const BackboneConfig& backbone) {
  const auto check = [&](std::string_view token, int64_t id, std::string_view key) {
    return check_special_token(tokenizer, token, id, fmt::format("{}: {}", backbone.source, key));
  };
  RAMET_TRY_STATUS(check("<|image_pad|>", backbone.config.image_token_id, "image_token_id"));
  RAMET_TRY_STATUS(check("<|vision_start|>", backbone.config.vision_start_token_id, "vision_start_token_id"));
  return check("<|vision_end|>", backbone.config.vision_end_token_id, "vision_end_token_id");
}

Result<Checkpoint> open_weights(const fs::path& directory, CheckpointLayout layout) {
  return Checkpoint::open(directory, layout == CheckpointLayout::lerobot ? kLeRobotPrefix : std::string_view{});
}

Result<Image> copy_image(const ImageView& view, const std::string& where) {
  auto image = Image::copy_of({view.height, view.width}, view.rgb);
  if (!image) image.error().where = where;
  return image;
}

Status check_same_size(const std::vector<Image>& images, const std::string& where) {
  for (const Image& image : images)
    if (image.size() != images.front().size())
      return fail(Code::shape_mismatch, where + ": video", "pictures of one size after the transform",
                  fmt::format("{} and {}", str(images.front().size()), str(image.size())),
                  "give all cameras the same aspect ratio");
  return {};
}

tl::unexpected<Error> disagree(const std::string& where, std::string_view what, int64_t expected, int64_t found) {
  return fail(Code::invalid_value, fmt::format("{}: {}", where, what), fmt::format("{}", expected),
              fmt::format("{}", found));
}

// Counts and widths that two places state must agree before anything is built from them.
Status check_sizes(const Gr00tN17Sizes& sizes, const Checkpoint& checkpoint, const std::string& config,
                   const std::string& backbone) {
  const Gr00tN17Depths stored = stored_depths(checkpoint);
  const ActionHeadConfig& head = sizes.head;
  const auto same = [](const std::string& where, std::string_view what, int64_t expected, int64_t found) -> Status {
    if (expected != found) return disagree(where, what, expected, found);
    return {};
  };
  RAMET_TRY_STATUS(same(backbone, "vision_config.depth", stored.vision_blocks, sizes.vision.depth));
  RAMET_TRY_STATUS(same(config, "select_layer", stored.text_layers, sizes.text.num_hidden_layers));
  RAMET_TRY_STATUS(same(config, "diffusion_model_cfg.num_layers", stored.dit_blocks, head.dit.num_layers));
  RAMET_TRY_STATUS(
      same(config, "vl_self_attention_cfg.num_layers", stored.vl_self_attention_blocks, sizes.adapter.num_layers));
  RAMET_TRY_STATUS(same(config, "backbone_embedding_dim", sizes.text.hidden_size, sizes.adapter.hidden_size));
  RAMET_TRY_STATUS(same(config, "input_embedding_dim", head.dit.inner_dim(), head.input_embedding_dim));
  const QwenImageProcessorConfig pixels;
  RAMET_TRY_STATUS(same(backbone, "vision_config.patch_size", pixels.patch_size, sizes.vision.patch_size));
  RAMET_TRY_STATUS(
      same(backbone, "vision_config.spatial_merge_size", pixels.merge_size, sizes.vision.spatial_merge_size));
  RAMET_TRY_STATUS(same(backbone, "vision_config.temporal_patch_size", pixels.temporal_patch_size,
                        sizes.vision.temporal_patch_size));
  RAMET_TRY_STATUS(same(backbone, "vision_config.in_channels", Image::kChannels, sizes.vision.in_channels));
  if (head.action_horizon > head.max_seq_len)
    return fail(Code::invalid_value, config + ": action_horizon",
                fmt::format("at most max_seq_len {}", head.max_seq_len), fmt::format("{}", head.action_horizon));
  return {};
}

}  // namespace

Result<Gr00tN17Sizes> gr00t_n17_sizes(const Gr00tN17Config& c, const BackboneConfig& backbone) {
  if (!backbone.config.text)
    return fail(Code::unsupported, backbone.source + ": model_type", "qwen3_vl", backbone.config.model_type);
  Gr00tN17Sizes sizes{.vision = backbone.config.vision, .text = *backbone.config.text, .adapter = {}, .head = {}};
  sizes.text.num_hidden_layers = c.select_layer;
  sizes.adapter = {.hidden_size = c.backbone_embedding_dim,
                   .use_vlln = c.use_vlln,
                   .num_layers = c.vl_self_attention_cfg.num_layers,
                   .num_attention_heads = c.vl_self_attention_cfg.num_attention_heads,
                   .attention_head_dim = c.vl_self_attention_cfg.attention_head_dim};
  const DitConfig dit{.num_layers = c.diffusion_model_cfg.num_layers,
                      .num_attention_heads = c.diffusion_model_cfg.num_attention_heads,
                      .attention_head_dim = c.diffusion_model_cfg.attention_head_dim,
                      .output_dim = c.diffusion_model_cfg.output_dim,
                      .cross_attention_dim = c.backbone_embedding_dim,
                      .alternate_text_and_image = c.use_alternate_vl_dit,
                      .attend_text_every_n_blocks = c.attend_text_every_n_blocks};
  sizes.head = {.hidden_size = c.hidden_size,
                .input_embedding_dim = c.input_embedding_dim,
                .state_dim = c.state_history_length * c.max_state_dim,
                .action_dim = c.max_action_dim,
                .action_horizon = c.action_horizon,
                .max_num_embodiments = c.max_num_embodiments,
                .max_seq_len = c.max_seq_len,
                .add_pos_embed = c.add_pos_embed,
                .num_inference_timesteps = c.num_inference_timesteps,
                .num_timestep_buckets = c.num_timestep_buckets,
                .dit = dit};
  return sizes;
}

struct Gr00tN17Recipe::Parts {
  RobotFiles files;
  Robot robot;
  EvalTransform eval_transform;
  Tokenizer tokenizer;
  SpecialTokens special_tokens;
  Checkpoint checkpoint;
  Gr00tN17Model model;
};

Gr00tN17Recipe::Gr00tN17Recipe(Parts parts)
    : config_(std::move(parts.files.model)),
      processor_(std::move(*parts.files.processor)),
      robot_(std::move(parts.robot)),
      eval_transform_(std::move(parts.eval_transform)),
      tokenizer_(std::move(parts.tokenizer)),
      special_tokens_(parts.special_tokens),
      checkpoint_(std::move(parts.checkpoint)),
      model_(std::move(parts.model)) {}

Result<std::unique_ptr<Recipe>> Gr00tN17Recipe::open(const fs::path& directory, const PolicyOptions& options) {
  RAMET_TRY(RobotFiles files, load_robot_files(directory));
  RAMET_TRY_STATUS(require_complete(files));
  RAMET_TRY(Robot robot, make_robot(files, options.embodiment));
  RAMET_TRY(EvalTransform transform,
            EvalTransform::make(files.processor->image, (directory / "processor_config.json").string()));
  RAMET_TRY(const BackboneConfig backbone, find_backbone_config({.chosen = options.engine.backbone,
                                                                 .checkpoint = directory,
                                                                 .hub_cache = options.engine.hub_cache,
                                                                 .model_name = files.processor->model_name}));
  RAMET_TRY(Checkpoint checkpoint, open_weights(directory, files.layout));
  RAMET_TRY(const Gr00tN17Sizes sizes, gr00t_n17_sizes(files.model, backbone));
  RAMET_TRY_STATUS(check_sizes(sizes, checkpoint, (directory / "config.json").string(), backbone.source));
  WeightClaims claims(checkpoint);
  Gr00tN17Model model(claims, sizes);
  RAMET_TRY_STATUS(claims.finish());
  RAMET_TRY(Tokenizer tokenizer, load_tokenizer(directory, backbone, options.engine));
  RAMET_TRY_STATUS(check_special_tokens(tokenizer, backbone));
  RAMET_TRY(const SpecialTokens special, special_tokens(tokenizer));
  return std::unique_ptr<Recipe>(
      new Gr00tN17Recipe({std::move(files), std::move(robot), std::move(transform), std::move(tokenizer), special,
                          std::move(checkpoint), std::move(model)}));
}

// Time-major: all cameras of the oldest time first, in the order of the robot's camera keys.
Result<std::vector<Image>> Gr00tN17Recipe::transform_images(const Observation& observation) const {
  std::vector<Image> images;
  const Modality& video = robot_.modality.video;
  for (size_t time = 0; time < static_cast<size_t>(video.horizon()); ++time)
    for (const std::string& camera : video.modality_keys) {
      const std::string where = fmt::format("{}: video.{}[{}]", observation.name, camera, time);
      RAMET_TRY(const Image raw, copy_image(observation.video.at(camera)[time], where));
      RAMET_TRY(Image image, eval_transform_.apply(raw));
      images.push_back(std::move(image));
    }
  RAMET_TRY_STATUS(check_same_size(images, observation.name));
  return images;
}

Result<std::string> Gr00tN17Recipe::instruction_text(const Observation& observation) const {
  RAMET_TRY(std::string text, instruction(observation, robot_.modality.language));
  if (text.empty()) text = processor_.default_instruction;
  if (!processor_.formalize_language) return text;
  return formalize_language(text);
}

Result<ModelInputs> Gr00tN17Recipe::preprocess(const Observation& observation) const {
  RAMET_TRY_STATUS(robot_.check(observation));
  RAMET_TRY(const std::vector<Image> images, transform_images(observation));
  RAMET_TRY(PatchRows rows, image_patch_rows(images, image_processor_));
  RAMET_TRY(const std::string text, instruction_text(observation));
  RAMET_TRY(std::vector<int64_t> ids, n17_prompt(tokenizer_, rows.grids, text));
  const VisionPads pads{.image = special_tokens_.image_pad, .video = special_tokens_.video_pad};
  RAMET_TRY(const MropePositions positions, mrope_positions(ids, pads, rows.grids));
  RAMET_TRY(Buffer state, robot_.state.normalize(observation.state, observation.name));
  Layout layout{.grids = std::move(rows.grids), .text = text_layout(ids, positions, pads.image)};
  return ModelInputs{std::move(rows.pixels), std::move(ids), std::move(state), std::move(layout)};
}

Program Gr00tN17Recipe::record(const Layout& layout, int64_t steps) const {
  return model_.record(layout, robot_.slot, steps);
}

Result<std::vector<Action>> Gr00tN17Recipe::decode(ConstView chunk, const Observation& observation) const {
  return robot_.actions.decode(chunk, observation.state);
}

std::string Gr00tN17Recipe::find_bad_weight() const { return find_not_finite(checkpoint_); }

}  // namespace ramet
