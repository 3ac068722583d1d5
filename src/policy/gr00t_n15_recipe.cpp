#include "policy/gr00t_n15_recipe.h"

#include "policy/gr00t_n15_inspection.h"
#include "policy/gr00t_n15_sizes.h"
#include "policy/groot_inputs.h"
#include "policy/quirks.h"
#include "policy/robot/observation.h"
#include "policy/text/formalize.h"
#include "policy/text/prompt.h"
#include "policy/text/tokenizer_search.h"
#include "weights/checkpoint_kind.h"

#include <fmt/format.h>

#include <numeric>

namespace ramet {
namespace {

namespace fs = std::filesystem;

Result<Tokenizer> load_tokenizer(const fs::path& directory, const Qwen3TextConfig& text, const EngineOptions& options) {
  RAMET_TRY(const fs::path path, find_tokenizer({.chosen = options.tokenizer,
                                                 .checkpoint = directory,
                                                 .backbone = options.backbone,
                                                 .installed = options.data_dirs}));
  RAMET_TRY(Tokenizer tokenizer, Tokenizer::load(path, TokenizerFamily::eagle));
  RAMET_TRY_STATUS(check_special_token(tokenizer, kImageContext, kImageContextId, "image_token_index of GR00T N1.5"));
  if (tokenizer.size() <= text.vocab_size) return tokenizer;
  return fail(Code::invalid_value, directory.string() + ": embed_tokens.weight",
              fmt::format("at least {} rows, the tokens of {}", tokenizer.size(), tokenizer.source()),
              fmt::format("{}", text.vocab_size));
}

Status check_slot(const N15Robot& robot, int64_t slots, const fs::path& directory) {
  if (robot.slot() < slots) return {};
  return fail(Code::shape_mismatch, directory.string() + ": action_head.state_encoder.layer1.W",
              fmt::format("more than {} slots, for {}", robot.slot(), robot.tag()), fmt::format("{}", slots));
}

// The same position on all three axes makes the rotary embedding a plain one.
TextLayout plain_text_layout(std::span<const int64_t> ids) {
  TextLayout layout;
  for (auto& axis : layout.positions) {
    axis.resize(ids.size());
    std::iota(axis.begin(), axis.end(), 0);
  }
  for (size_t token = 0; token < ids.size(); ++token)
    if (ids[token] == kImageContextId) layout.visual_rows.push_back(static_cast<int64_t>(token));
  return layout;
}

Result<Image> transformed(const ImageView& view, const N15Preprocessing& preprocessing, const std::string& where) {
  auto image = Image::copy_of({view.height, view.width}, view.rgb);
  if (image) image = preprocessing.frame(*image);
  if (!image) image.error().where = where;
  return image;
}

}  // namespace

Gr00tN15Recipe::Gr00tN15Recipe(Parts parts)
    : config_(parts.config),
      preprocessing_(parts.preprocessing),
      robot_(std::move(parts.robot)),
      instruction_form_(parts.instruction_form),
      tokenizer_(std::move(parts.tokenizer)),
      checkpoint_(std::move(parts.checkpoint)),
      sizes_(std::move(parts.sizes)),
      model_(std::move(parts.model)) {}

Result<std::unique_ptr<Recipe>> Gr00tN15Recipe::open(const fs::path& path, const PolicyOptions& options) {
  const fs::path directory = checkpoint_directory(path);
  const fs::path config_file = directory / "config.json";
  RAMET_TRY(const N15Files files, load_n15_files(directory));
  RAMET_TRY(const Quirks quirks, parse_quirks(options.engine.quirks, CheckpointKind::groot_n15));
  RAMET_TRY(Checkpoint checkpoint, Checkpoint::open(path, files.container_prefix));
  RAMET_TRY_STATUS(check_n15_layout(files, files.container_prefix + guess(checkpoint).container_prefix, directory));
  RAMET_TRY(const Gr00tN15Config config, load_gr00t_n15_config(directory, checkpoint));
  RAMET_TRY(N15Robot robot,
            files.robot(options.embodiment, options.data_config, {config.max_state_dim, config.max_action_dim}));
  RAMET_TRY(Gr00tN15Sizes sizes, checked_gr00t_n15_sizes(config, config_file.string(), checkpoint, robot.horizon()));
  sizes.backbone.text.rope_bf16 = quirks.rope_bf16;
  WeightClaims claims(checkpoint);
  Gr00tN15Model model(claims, sizes);
  RAMET_TRY_STATUS(claims.finish());
  RAMET_TRY_STATUS(check_slot(robot, sizes.head.max_num_embodiments, directory));
  RAMET_TRY(Tokenizer tokenizer, load_tokenizer(directory, sizes.backbone.text, options.engine));
  return std::unique_ptr<Recipe>(
      new Gr00tN15Recipe({config, files.preprocessing, std::move(robot),
                          quirks.plain_prompt ? InstructionForm::plain : InstructionForm::list_of_one,
                          std::move(tokenizer), std::move(checkpoint), std::move(sizes), std::move(model)}));
}

size_t Gr00tN15Recipe::frames_per_view(const Observation& observation) const {
  return observation.video.at(robot_.config().video.front()).size();
}

int64_t Gr00tN15Recipe::count_pictures(const Observation& observation) const {
  return static_cast<int64_t>(robot_.config().video.size() * frames_per_view(observation));
}

Result<Buffer> Gr00tN15Recipe::pixels(const Observation& observation) const {
  std::vector<Image> frames;
  for (size_t time = 0; time < frames_per_view(observation); ++time)
    for (const std::string& view : robot_.config().video) {
      const std::string where = fmt::format("{}: video.{}", observation.name, view);
      RAMET_TRY(Image frame, transformed(observation.video.at(view)[time], preprocessing_, where));
      frames.push_back(std::move(frame));
    }
  return siglip_pixels(frames);
}

// Any key will do, as in the original; without an instruction the robot has a default one.
Result<std::string> Gr00tN15Recipe::instruction(const Observation& observation) const {
  const std::string where = observation.name + ": language";
  if (observation.language.size() > 1)
    return fail(Code::invalid_value, where, "one instruction", fmt::format("{}", observation.language.size()));
  const std::string& text = observation.language.begin()->second;
  if (text.size() <= kMaxInstructionBytes) return text;
  return fail(Code::invalid_value, where, fmt::format("an instruction of at most {} bytes", kMaxInstructionBytes),
              fmt::format("{}", text.size()));
}

Result<std::vector<int64_t>> Gr00tN15Recipe::token_ids(const Observation& observation) const {
  std::string text;
  bool is_given = !observation.language.empty();
  if (is_given) {
    RAMET_TRY(text, instruction(observation));
    is_given = !text.empty() || !preprocessing_.empty_is_none;
  }
  if (!is_given) text = preprocessing_.default_instruction;
  if (preprocessing_.formalize_language) {
    RAMET_TRY(text, formalize_language(text));
    std::erase(text, '_');  // isalnum, where the later versions have \w
  }
  const EaglePictures pictures{.count = count_pictures(observation),
                               .tokens_each = sizes_.backbone.embedding.patches()};
  const bool is_plain = !is_given && preprocessing_.default_is_plain;
  return n15_prompt(tokenizer_, pictures, text, is_plain ? InstructionForm::plain : instruction_form_);
}

EmbodimentInfo Gr00tN15Recipe::describe_robot() const { return describe_embodiment(robot_); }

Result<ModelInputs> Gr00tN15Recipe::preprocess(const Observation& observation) const {
  RAMET_TRY_STATUS(robot_.check(observation));
  RAMET_TRY(Buffer frames, pixels(observation));
  RAMET_TRY(std::vector<int64_t> ids, token_ids(observation));
  RAMET_TRY(Buffer state, robot_.state_row(observation.state));
  const int64_t across = sizes_.backbone.embedding.patches_per_side;
  Layout layout{.grids = std::vector<Grid>(static_cast<size_t>(count_pictures(observation)), Grid{1, across, across}),
                .text = plain_text_layout(ids)};
  return ModelInputs{std::move(frames), std::move(ids), std::move(state), std::move(layout)};
}

void Gr00tN15Recipe::tap_inputs(const ModelInputs& inputs, TapList& taps) const {
  taps.add("pre.pixels", inputs.pixels.view());
  tap_prompt(taps, inputs);
  taps.add("pre.state", inputs.state.view());
}

std::vector<NamedLayout> Gr00tN15Recipe::sample_layouts() const {
  const int64_t side = sizes_.backbone.embedding.patches_per_side, tokens = sizes_.backbone.embedding.patches();
  const Grid grid{1, side, side};
  return {sample_layout("one", 1, grid, tokens, 33), sample_layout("two", 2, grid, tokens, 36),
          sample_layout("three", 3, grid, tokens, 40)};
}

Program Gr00tN15Recipe::record(const Layout& layout, int64_t steps) const {
  return model_.record(layout, robot_.slot(), steps);
}

Result<std::vector<Action>> Gr00tN15Recipe::decode(ConstView chunk, const Observation&) const {
  return robot_.decode(chunk);
}

}  // namespace ramet
