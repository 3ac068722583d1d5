#include "policy/gr00t_n16_recipe.h"

#include "policy/gr00t_n16_sizes.h"
#include "policy/groot_inputs.h"
#include "policy/image/eagle_patch_rows.h"
#include "policy/quirks.h"
#include "policy/robot/model_config.h"
#include "policy/robot_inspection.h"
#include "policy/text/eagle_prompt.h"
#include "policy/text/tokenizer_search.h"

#include <fmt/format.h>

namespace ramet {
namespace {

namespace fs = std::filesystem;

// A backbone directory is not needed; one that is given must describe the tower Ramet has.
Status check_backbone(const fs::path& directory) {
  if (directory.empty()) return {};
  RAMET_TRY(const JsonFile file, JsonFile::load(directory / "config.json"));
  RAMET_TRY(const Json vision, file.root().at("vision_config"));
  RAMET_TRY_STATUS(refuse_if_true(vision, "use_rope", "SigLIP2 of GR00T N1.6 has a table of positions"));
  return refuse_if_true(vision, "use_windows_attn", "SigLIP2 of GR00T N1.6 attends to whole pictures");
}

Result<Tokenizer> load_tokenizer(const fs::path& directory, const EngineOptions& options, int64_t vocabulary_rows) {
  RAMET_TRY(const fs::path path, find_tokenizer({.chosen = options.tokenizer,
                                                 .checkpoint = directory,
                                                 .backbone = options.backbone,
                                                 .installed = options.data_dirs}));
  RAMET_TRY(Tokenizer tokenizer, Tokenizer::load(path, TokenizerFamily::eagle));
  if (tokenizer.size() <= vocabulary_rows) return tokenizer;
  return fail(Code::invalid_value, directory.string() + ": embed_tokens",
              fmt::format("at least {} rows, the tokens of {}", tokenizer.size(), tokenizer.source()),
              fmt::format("{}", vocabulary_rows));
}

Result<int64_t> image_context(const Tokenizer& tokenizer) {
  if (const auto id = tokenizer.added_token(kEagleImageContext)) return *id;
  return fail(Code::not_found, tokenizer.source(), fmt::format("the added token {}", kEagleImageContext), "none");
}

// Plain positions, the same on all three axes of multimodal RoPE.
std::vector<int64_t> plain_positions(size_t tokens) {
  std::vector<int64_t> positions;
  for (size_t i = 0; i < 3 * tokens; ++i) positions.push_back(static_cast<int64_t>(i % tokens));
  return positions;
}

}  // namespace

Result<std::unique_ptr<Recipe>> Gr00tN16Recipe::open(const fs::path& path, const PolicyOptions& options) {
  const fs::path directory = checkpoint_directory(path);
  RAMET_TRY(Gr00tN16Files files, load_gr00t_n16_files(directory));
  RAMET_TRY(Robot robot, make_robot(files, options.embodiment));
  RAMET_TRY(const Quirks quirks, parse_quirks(options.engine.quirks, CheckpointKind::groot_n16));
  files.processor->image.letter_box_transform |= quirks.letterbox_always;
  RAMET_TRY(EvalTransform transform,
            EvalTransform::make(files.processor->image, (directory / "processor_config.json").string()));
  RAMET_TRY_STATUS(check_backbone(options.engine.backbone));
  RAMET_TRY(Checkpoint checkpoint, Checkpoint::open(path));
  RAMET_TRY(Gr00tN16Sizes sizes,
            checked_gr00t_n16_sizes(files.model, (directory / "config.json").string(), checkpoint));
  sizes.backbone.text.rope_bf16 = quirks.rope_bf16;
  WeightClaims claims(checkpoint);
  Gr00tN16Model model(claims, sizes);
  RAMET_TRY_STATUS(claims.finish());
  RAMET_TRY(Tokenizer tokenizer, load_tokenizer(directory, options.engine, sizes.backbone.text.vocab_size));
  RAMET_TRY(const int64_t context, image_context(tokenizer));
  return std::unique_ptr<Recipe>(
      new Gr00tN16Recipe({std::move(files.model), std::move(*files.processor), std::move(robot), std::move(transform),
                          std::move(tokenizer), context, std::move(checkpoint), std::move(model)}));
}

EmbodimentInfo Gr00tN16Recipe::describe_robot() const { return describe_embodiment(parts_.robot, parts_.processor); }

Result<ModelInputs> Gr00tN16Recipe::preprocess(const Observation& observation) const {
  const Robot& robot = parts_.robot;
  RAMET_TRY_STATUS(robot.check(observation));
  RAMET_TRY(const std::vector<Image> images, camera_images(observation, robot.modality.video, parts_.eval_transform));
  RAMET_TRY(PatchRows rows, eagle_patch_rows(images));
  RAMET_TRY(const std::string text, instruction_text(observation, robot.modality.language, parts_.processor));
  RAMET_TRY(std::vector<int64_t> ids, n16_prompt(parts_.tokenizer, rows.grids, text));
  RAMET_TRY(Buffer state, robot.state.normalize(observation.state, observation.name));
  Layout layout{.grids = std::move(rows.grids),
                .text = text_layout(ids, plain_positions(ids.size()), parts_.image_context)};
  return ModelInputs{std::move(rows.pixels), std::move(ids), std::move(state), std::move(layout)};
}

void Gr00tN16Recipe::tap_inputs(const ModelInputs& inputs, TapList& taps) const {
  if (taps.wants("pre.pixels"))
    if (const auto planes = pixel_planes(inputs.pixels.view(), inputs.layout.grids))
      taps.add("pre.pixels", planes->view());
  tap_grids(taps, inputs.layout.grids);
  tap_prompt(taps, inputs);
  taps.add("pre.state", inputs.state.view());
}

std::vector<NamedLayout> Gr00tN16Recipe::sample_layouts() const {
  const Grid grid{1, 18, 18};  // 252 x 252 pixels
  return {sample_layout("one", 1, grid, 81, 34), sample_layout("two", 2, grid, 81, 36),
          sample_layout("four", 4, grid, 81, 40)};
}

Program Gr00tN16Recipe::record(const Layout& layout, int64_t steps) const {
  return parts_.model.record(layout,
                             {.slot = parts_.robot.slot, .state_steps = parts_.robot.state.history(), .steps = steps});
}

Result<std::vector<Action>> Gr00tN16Recipe::decode(ConstView chunk, const Observation& observation) const {
  return parts_.robot.actions.decode(chunk, observation.state);
}

}  // namespace ramet
