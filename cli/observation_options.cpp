#include "observation_options.h"

#include "tensor/buffer.h"
#include "weights/safetensors.h"

namespace ramet::cli {
namespace {

// "KEY=FILE,FILE": the frames of a camera.
Status add_camera(const Given& given, std::map<std::string, std::vector<std::filesystem::path>>& video) {
  RAMET_TRY(const auto pair, parse_pair(given));
  std::vector<std::filesystem::path> frames;
  for (const std::string& file : split(pair.second, ',')) {
    if (file.empty()) return misfit(given, "KEY=FILE,FILE without an empty name");
    frames.emplace_back(file);
  }
  if (video.emplace(pair.first, std::move(frames)).second) return {};
  return misfit(given, "each camera once", "its frames stand between commas, oldest first");
}

// "KEY=v,v": one row of the history; a key given again adds the next row.
Status add_state_row(const Given& given, std::map<std::string, std::vector<std::vector<float>>>& state) {
  RAMET_TRY(const auto pair, parse_pair(given));
  RAMET_TRY(std::vector<float> row, parse_floats({pair.second, given.where + " " + pair.first, given.code}));
  state[pair.first].push_back(std::move(row));
  return {};
}

}  // namespace

void ObservationOptions::declare(Options& options) {
  options.option({.name = "--observation",
                  .value = "OBS.json",
                  .meaning = "the observation as a file: video, state, language",
                  .example = "observation.json"},
                 file_);
  options.option({.name = "--video",
                  .value = "KEY=FILE,...",
                  .meaning = "frames of a camera, oldest first, PNG or JPEG; wins over the file",
                  .example = "image=head.png",
                  .repeatable = true},
                 [this](const Given& given) { return add_camera(given, video_); });
  options.option({.name = "--state",
                  .value = "KEY=V,...",
                  .meaning = "a state in the robot's units, the oldest row of its history first; wins over the file",
                  .example = "gripper=0.04,-0.04",
                  .repeatable = true},
                 [this](const Given& given) { return add_state_row(given, state_); });
  options.option({.name = "--instruction",
                  .value = "TEXT",
                  .meaning = "what the robot is told; wins over the file",
                  .example = "\"put the bowl on the plate\""},
                 [this](const Given& given) -> Status {
                   instruction_ = given.text;
                   return {};
                 });
}

bool ObservationOptions::given() const {
  return !file_.empty() || !video_.empty() || !state_.empty() || instruction_.has_value();
}

Result<ObservationFiles> ObservationOptions::read() const {
  if (!given())
    return fail(Code::usage, "--observation", "an observation", "none",
                "pass --observation OBS.json, or --video, --state and --instruction");
  ObservationFiles files;
  if (!file_.empty()) {
    RAMET_TRY(files, read_observation(file_));
  }
  for (const auto& [camera, frames] : video_) files.video.insert_or_assign(camera, frames);
  for (const auto& [key, rows] : state_) files.state.insert_or_assign(key, rows);
  if (instruction_) files.language = {{"", *instruction_}};
  return files;
}

void NoiseOption::declare(Options& options) {
  options.option({.name = "--noise",
                  .value = "FILE",
                  .meaning = "safetensors file with `noise` [horizon, action_dim], the initial noise; replaces --seed",
                  .example = "noise.safetensors"},
                 file_);
}

Result<std::optional<FloatArray>> NoiseOption::read() const {
  if (file_.empty()) return std::nullopt;
  RAMET_TRY(const SafetensorsFile file, SafetensorsFile::open(file_));
  RAMET_TRY(const ConstView noise, file.view("noise"));
  RAMET_TRY(const Buffer floats, to_f32(noise));
  const std::span<const int64_t> dims = floats.shape().dims();
  const std::span<const float> values = floats.flat<float>();
  return FloatArray{.shape = {dims.begin(), dims.end()}, .values = {values.begin(), values.end()}};
}

}  // namespace ramet::cli
