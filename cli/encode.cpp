// ramet encode: pictures to the embeddings of a vision tower.
#include "command.h"
#include "report.h"
#include "run_facts.h"
#include "settings.h"
#include "staged_files.h"
#include "table.h"

#include <ramet/image.h>
#include <ramet/vision_tower.h>

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

namespace ramet::cli {
namespace {

using nlohmann::ordered_json;
using Grid = std::array<int64_t, 3>;

constexpr int64_t kPatchesPerToken = 4;

int64_t tokens_of(const Grid& grid) { return grid[0] * grid[1] * grid[2] / kPatchesPerToken; }

class Encode : public Command {
 public:
  void declare(Options& options) override;
  Result<int> run(Console& console) override;

 private:
  Status check_output() const;
  Status load_images();
  Status write(const Encoding& encoding) const;
  std::string source_of(size_t grid) const;
  std::string size_of(size_t grid) const;
  ordered_json document(const Encoding& encoding, const RunFacts& facts) const;
  std::string table(const Encoding& encoding, const RunFacts& facts) const;

  std::filesystem::path directory_, output_;
  std::vector<std::filesystem::path> files_;
  std::vector<RgbImage> images_;
  bool video_ = false;
  Settings settings_{"executor", "precision", "isa", "threads", "backbone", "cache", "quirks"};
};

void Encode::declare(Options& options) {
  options.argument({.name = "DIR", .meaning = "Qwen3-VL, Qwen3.5 or GR00T directory"}, directory_);
  options.arguments({.name = "IMAGE", .meaning = "PNG or JPEG files", .example = "head.png wrist.jpg"}, files_);
  options.option({.name = "-o,--output",
                  .value = "FILE",
                  .meaning = "safetensors file that takes `out` and `deepstack.K`, both [tokens, width], and `grid` "
                             "[images, 3]; required",
                  .example = "embeddings.safetensors"},
                 output_);
  options.flag(
      {.name = "--video", .meaning = "the pictures are the frames of one video, oldest first; all of them are used"},
      video_);
  settings_.declare(options);
}

Status Encode::check_output() const {
  if (output_.extension() != ".safetensors")
    return fail(Code::usage, "--output", "a file that ends in .safetensors",
                output_.empty() ? "none" : output_.string());
  return check_writable(output_);
}

Status Encode::load_images() {
  for (const std::filesystem::path& file : files_) {
    RAMET_TRY(RgbImage image, load_image(file));
    images_.push_back(std::move(image));
  }
  return {};
}

Status Encode::write(const Encoding& encoding) const {
  std::vector<int64_t> grid;
  for (const Grid& image : encoding.grid) grid.insert(grid.end(), image.begin(), image.end());
  std::vector<NamedArray> arrays{named_array("out", encoding.out)};
  for (size_t k = 0; k < encoding.deepstack.size(); ++k)
    arrays.push_back(named_array(fmt::format("deepstack.{}", k), encoding.deepstack[k]));
  arrays.push_back(
      {.name = "grid", .shape = {static_cast<int64_t>(encoding.grid.size()), 3}, .integers = grid, .is_integer = true});
  StagedFiles files;
  RAMET_TRY_STATUS(files.add_safetensors(output_, arrays));
  return files.commit();
}

std::string Encode::source_of(size_t grid) const {
  return video_ ? fmt::format("video of {} frames", files_.size()) : files_[grid].string();
}

std::string Encode::size_of(size_t grid) const {
  return fmt::format("{}x{}", images_[grid].height, images_[grid].width);
}

ordered_json Encode::document(const Encoding& encoding, const RunFacts& facts) const {
  ordered_json images = ordered_json::array();
  for (size_t i = 0; i < encoding.grid.size(); ++i)
    images.push_back({{"image", source_of(i)},
                      {"height", images_[i].height},
                      {"width", images_[i].width},
                      {"grid", encoding.grid[i]},
                      {"tokens", tokens_of(encoding.grid[i])}});
  ordered_json result{{"output", output_.string()},
                      {"tokens", encoding.out.shape[0]},
                      {"hidden_size", encoding.out.shape[1]},
                      {"deepstack_levels", encoding.deepstack.size()},
                      {"images", images},
                      {"timing_ms", timing_document(encoding.timing)}};
  append(result, facts);
  return result;
}

std::string Encode::table(const Encoding& encoding, const RunFacts& facts) const {
  Table table({"image", "height x width", "grid of patches", "tokens"},
              {Align::left, Align::right, Align::right, Align::right});
  for (size_t i = 0; i < encoding.grid.size(); ++i) {
    const Grid& grid = encoding.grid[i];
    table.add({source_of(i), size_of(i), fmt::format("{} x {} x {}", grid[0], grid[1], grid[2]),
               std::to_string(tokens_of(grid))});
  }
  return table.text() +
         fmt::format("\n{}: {} tokens of {} numbers, {} deepstack levels\n", output_.string(), encoding.out.shape[0],
                     encoding.out.shape[1], encoding.deepstack.size()) +
         timing_line(encoding.timing) + "\n" + facts_line(facts);
}

Result<int> Encode::run(Console& console) {
  RAMET_TRY_STATUS(check_output());
  RAMET_TRY_STATUS(settings_.resolve(directory_));
  RAMET_TRY_STATUS(load_images());
  RAMET_TRY(VisionTower tower, VisionTower::open(directory_, settings_.engine(console)));
  std::vector<ImageView> views;
  for (const RgbImage& image : images_) views.push_back(image.view());
  RAMET_TRY(const Encoding encoding, tower.encode(views, {.video = video_, .taps = {}}));
  RAMET_TRY_STATUS(write(encoding));
  const RunFacts facts = run_facts(tower.facts());
  if (console.json())
    console.print_json(document(encoding, facts));
  else
    console.print(table(encoding, facts));
  return kDone;
}

}  // namespace

std::unique_ptr<Command> make_encode() { return std::make_unique<Encode>(); }

}  // namespace ramet::cli
