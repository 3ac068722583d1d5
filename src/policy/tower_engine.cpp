#include "policy/tower_engine.h"

#include "base/json.h"
#include "models/qwen3_vl.h"
#include "policy/backbone_config.h"
#include "policy/image/patch_rows.h"
#include "policy/quirks.h"
#include "weights/checkpoint_kind.h"
#include "weights/finite.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace ramet {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// A GR00T directory names its backbone; the directory of a Qwen model is its own.
Result<BackboneConfig> tower_config(const fs::path& directory, CheckpointKind kind, const EngineOptions& options) {
  const bool is_groot = kind == CheckpointKind::groot_n17;
  RAMET_TRY(const JsonFile file, JsonFile::load(directory / "config.json"));
  RAMET_TRY(const std::string model_name, file.root().get_or<std::string>("model_name", "nvidia/Cosmos-Reason2-2B"));
  return find_backbone_config({.chosen = is_groot ? options.backbone : directory,
                               .checkpoint = directory,
                               .hub_cache = options.hub_cache,
                               .model_name = model_name});
}

// Without a file of its own a directory gets the published values of the family.
template <class Config, class Load>
Result<Config> processor_of(const fs::path& directory, const char* file, const Load& load) {
  std::error_code error;
  if (!fs::exists(directory / file, error) && !fs::exists(directory / "processor_config.json", error)) return Config{};
  return load(directory);
}

Status check_tower(const Checkpoint& checkpoint, const CheckpointGuess& found) {
  if (!found.tower_prefix.empty() || checkpoint.find("patch_embed.proj.weight") != nullptr) return {};
  return fail(Code::unsupported, checkpoint.path().string(),
              "the vision tower of a Qwen3-VL, Qwen3.5 or GR00T N1.7 model", found.description());
}

Status check_depth(const WeightScope& scope, const BackboneConfig& backbone) {
  const int64_t stored = scope.count("blocks");
  if (stored == backbone.config.vision.depth) return {};
  return fail(Code::invalid_value, backbone.source + ": vision_config.depth", fmt::format("{} stored blocks", stored),
              fmt::format("{}", backbone.config.vision.depth));
}

std::string without_dot(std::string prefix) {
  if (prefix.ends_with('.')) prefix.pop_back();
  return prefix;
}

Result<std::vector<Image>> copy_images(std::span<const ImageView> views) {
  std::vector<Image> images;
  for (size_t i = 0; i < views.size(); ++i) {
    auto image = Image::copy_of({views[i].height, views[i].width}, views[i].rgb);
    if (!image) image.error().where = fmt::format("image {}", i);
    RAMET_TRY(Image copy, std::move(image));
    images.push_back(std::move(copy));
  }
  return images;
}

}  // namespace

TowerEngine::TowerEngine(Parts parts, EngineOptions options, std::unique_ptr<Execution> execution)
    : parts_(std::move(parts)),
      options_(std::move(options)),
      execution_(std::move(execution)),
      programs_(execution_->pool(), execution_->tuning()) {}

Result<std::unique_ptr<TowerEngine>> TowerEngine::open(const fs::path& path, EngineOptions options) {
  RAMET_TRY(std::unique_ptr<Execution> execution, Execution::make(options));
  RAMET_TRY(Checkpoint checkpoint, Checkpoint::open(path));
  const CheckpointGuess found = guess(checkpoint);
  if (!found.container_prefix.empty()) {
    RAMET_TRY(checkpoint, Checkpoint::open(path, found.container_prefix));
  }
  RAMET_TRY_STATUS(check_tower(checkpoint, found));
  RAMET_TRY(const Quirks quirks, parse_quirks(options.quirks, found.kind));
  const fs::path directory = checkpoint.directory();
  RAMET_TRY(BackboneConfig backbone, tower_config(directory, found.kind, options));
  WeightClaims claims(checkpoint);
  const WeightScope scope(claims, without_dot(found.tower_prefix), Category::vision);
  RAMET_TRY_STATUS(check_depth(scope, backbone));
  backbone.config.vision.rope_bf16 = quirks.rope_bf16;
  QwenVisionTower tower(scope, backbone.config.vision);
  claims.ignore_outside(found.tower_prefix, "no part of the tower");
  RAMET_TRY_STATUS(claims.finish());

  Parts parts{std::move(checkpoint), std::move(tower), {}, {}};
  if (found.kind != CheckpointKind::groot_n17) {
    RAMET_TRY(parts.images,
              processor_of<QwenImageProcessorConfig>(directory, "preprocessor_config.json", load_qwen_image_processor));
    RAMET_TRY(parts.videos, processor_of<QwenVideoProcessorConfig>(directory, "video_preprocessor_config.json",
                                                                   load_qwen_video_processor));
  }
  const QwenVisionConfig& vision = backbone.config.vision;
  const PatchGeometry geometry{.patch_size = vision.patch_size,
                               .temporal_patch_size = vision.temporal_patch_size,
                               .spatial_merge_size = vision.spatial_merge_size};
  RAMET_TRY_STATUS(check_geometry(parts.images, geometry, directory.string()));
  RAMET_TRY_STATUS(check_geometry(parts.videos.frames, geometry, directory.string()));
  execution->attach(parts.checkpoint, options);
  return std::unique_ptr<TowerEngine>(new TowerEngine(std::move(parts), std::move(options), std::move(execution)));
}

Result<Encoding> TowerEngine::encode(std::span<const ImageView> views, const EncodeOptions& options) {
  if (views.empty()) return fail(Code::usage, "images", "at least one picture", "none");
  const auto start = Clock::now();
  RAMET_TRY(const std::vector<Image> images, copy_images(views));
  RAMET_TRY(const PatchRows rows,
            options.video ? video_patch_rows(images, parts_.videos) : image_patch_rows(images, parts_.images));
  const double preprocess_ms = ms_since(start);
  RAMET_TRY(Encoding encoding, run(rows, options));
  encoding.timing.insert(encoding.timing.begin(), {"preprocess", preprocess_ms});
  encoding.timing.push_back({"total", ms_since(start)});
  return encoding;
}

Result<Encoding> TowerEngine::run(const PatchRows& rows, const EncodeOptions& options) {
  const Frames frames = options.video ? Frames::distinct : Frames::repeated;
  const ProgramKey key{.layout = {.grids = rows.grids, .text = {}, .frames = frames}, .steps = 0, .taps = options.taps};
  ExecutorOptions executor_options{.taps = options.taps, .on_progress = {}};
  if (options_.progress)
    executor_options.on_progress = [progress = options_.progress](double share) { progress("encoding", share); };
  const auto explain = [&](Error error) {
    if (error.code == Code::not_finite) error.hint = find_not_finite(parts_.checkpoint);
    return error;
  };
  RAMET_TRY(Executor* const executor,
            programs_
                .get(
                    key, [&] { return record_tower(parts_.tower, rows.grids, frames); }, std::move(executor_options))
                .map_error(explain));
  std::ranges::copy(rows.pixels.flat<float>(), executor->input("pixels").flat<float>().begin());
  RAMET_TRY_STATUS(executor->run().map_error(explain));
  Encoding encoding = collect(*executor, rows.grids);
  TapList taps(options.taps);
  taps.add(options.video ? "pre.pixels_video" : "pre.pixels", rows.pixels.view());
  tap_grids(taps, rows.grids);
  for (const Executor::Tap& tap : executor->taps()) taps.add(std::string(tap.name), tap.view);
  encoding.taps = taps.take();
  return encoding;
}

Encoding TowerEngine::collect(const Executor& executor, const std::vector<Grid>& grids) const {
  Encoding encoding;
  encoding.out = copy_floats(executor.output("out"));
  for (size_t k = 0; k < parts_.tower.config().deepstack_visual_indexes.size(); ++k)
    encoding.deepstack.push_back(copy_floats(executor.output(fmt::format("deepstack.{}", k))));
  for (const Grid& grid : grids) encoding.grid.push_back({grid.t, grid.h, grid.w});
  for (const auto& time : executor.times()) encoding.timing.push_back({std::string(time.stage), time.ms});
  return encoding;
}

}  // namespace ramet
