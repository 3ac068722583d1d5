#include "policy/gr00t_n17_recipe.h"

#include "policy/gr00t_n17_sizes.h"
#include "policy/groot_inputs.h"
#include "policy/image/patch_rows.h"
#include "policy/quirks.h"
#include "policy/robot_inspection.h"
#include "policy/text/positions.h"
#include "policy/text/tokenizer_search.h"
#include "weights/checkpoint_kind.h"

#include <fmt/format.h>

namespace ramet {
namespace {

namespace fs = std::filesystem;

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

// Every id that a text can give is a row of the token table.
Status check_vocabulary(const Tokenizer& tokenizer, const BackboneConfig& backbone) {
  const int64_t rows = backbone.config.text->vocab_size;
  if (tokenizer.size() <= rows) return {};
  return fail(Code::invalid_value, backbone.source + ": text_config.vocab_size",
              fmt::format("at least {}, the tokens of {}", tokenizer.size(), tokenizer.source()),
              fmt::format("{}", rows));
}

Result<Checkpoint> open_weights(const fs::path& path, CheckpointLayout layout) {
  return Checkpoint::open(path, layout == CheckpointLayout::lerobot ? kLeRobotPrefix : std::string_view{});
}

}  // namespace

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

Result<std::unique_ptr<Recipe>> Gr00tN17Recipe::open(const fs::path& path, const PolicyOptions& options) {
  const fs::path directory = checkpoint_directory(path);
  RAMET_TRY(RobotFiles files, load_robot_files(directory));
  RAMET_TRY_STATUS(require_complete(files));
  RAMET_TRY(Robot robot, make_robot(files, options.embodiment));
  RAMET_TRY(const Quirks quirks, parse_quirks(options.engine.quirks, CheckpointKind::groot_n17));
  files.processor->image.letter_box_transform |= quirks.letterbox_always;
  RAMET_TRY(EvalTransform transform,
            EvalTransform::make(files.processor->image, (directory / "processor_config.json").string()));
  RAMET_TRY(const BackboneConfig backbone, find_backbone_config({.chosen = options.engine.backbone,
                                                                 .checkpoint = directory,
                                                                 .hub_cache = options.engine.hub_cache,
                                                                 .model_name = files.processor->model_name}));
  RAMET_TRY(Checkpoint checkpoint, open_weights(path, files.layout));
  RAMET_TRY(Gr00tN17Sizes sizes,
            checked_gr00t_n17_sizes(files.model, (directory / "config.json").string(), backbone, checkpoint));
  sizes.vision.rope_bf16 = sizes.text.rope_bf16 = quirks.rope_bf16;
  WeightClaims claims(checkpoint);
  Gr00tN17Model model(claims, sizes);
  RAMET_TRY_STATUS(claims.finish());
  RAMET_TRY(Tokenizer tokenizer, load_tokenizer(directory, backbone, options.engine));
  RAMET_TRY_STATUS(check_vocabulary(tokenizer, backbone));
  RAMET_TRY_STATUS(check_special_tokens(tokenizer, backbone));
  RAMET_TRY(const SpecialTokens special, special_tokens(tokenizer));
  return std::unique_ptr<Recipe>(
      new Gr00tN17Recipe({std::move(files), std::move(robot), std::move(transform), std::move(tokenizer), special,
                          std::move(checkpoint), std::move(model)}));
}

EmbodimentInfo Gr00tN17Recipe::describe_robot() const { return describe_embodiment(robot_, processor_); }

Result<ModelInputs> Gr00tN17Recipe::preprocess(const Observation& observation) const {
  RAMET_TRY_STATUS(robot_.check(observation));
  RAMET_TRY(const std::vector<Image> images, camera_images(observation, robot_.modality.video, eval_transform_));
  RAMET_TRY(PatchRows rows, image_patch_rows(images, image_processor_));
  RAMET_TRY(const std::string text, instruction_text(observation, robot_.modality.language, processor_));
  RAMET_TRY(std::vector<int64_t> ids, n17_prompt(tokenizer_, rows.grids, text));
  const VisionPads pads{.image = special_tokens_.image_pad, .video = special_tokens_.video_pad};
  RAMET_TRY(const MropePositions positions, mrope_positions(ids, pads, rows.grids));
  RAMET_TRY(Buffer state, robot_.state.normalize(observation.state, observation.name));
  Layout layout{.grids = std::move(rows.grids), .text = text_layout(ids, positions.values, pads.image)};
  return ModelInputs{std::move(rows.pixels), std::move(ids), std::move(state), std::move(layout)};
}

void Gr00tN17Recipe::tap_inputs(const ModelInputs& inputs, TapList& taps) const {
  taps.add("pre.pixels", inputs.pixels.view());
  tap_grids(taps, inputs.layout.grids);
  tap_prompt(taps, inputs);
  taps.add("pre.state", inputs.state.view());
}

std::vector<NamedLayout> Gr00tN17Recipe::sample_layouts() const {
  const auto layout = [&](const char* name, int64_t pictures, Grid grid, int64_t text_tokens) {
    const int64_t merge = image_processor_.merge_size;
    return sample_layout(name, pictures, grid, grid.h * grid.w / (merge * merge), text_tokens);
  };
  return {layout("droid", 4, {1, 16, 28}, 32), layout("libero1", 1, {1, 16, 16}, 26),
          layout("libero2", 2, {1, 16, 16}, 28)};
}

Program Gr00tN17Recipe::record(const Layout& layout, int64_t steps) const {
  return model_.record(layout, robot_.slot, steps);
}

Result<std::vector<Action>> Gr00tN17Recipe::decode(ConstView chunk, const Observation& observation) const {
  return robot_.actions.decode(chunk, observation.state);
}

}  // namespace ramet
