#include "policy/testing.h"

#include "base/json.h"
#include "policy/text/test_support.h"
#include "weights/checkpoint.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <fstream>

#include "support/assertions.h"
#include "support/made_once.h"

namespace ramet::test {
namespace fs = std::filesystem;
using nlohmann::json;

namespace {

// Changes with the layout, so that a folder of another build is not taken.
size_t fingerprint(const SynthLayout& layout) {
  std::string text;
  for (const SynthFile& file : layout.files) text += file.path + file.text;
  for (const TensorSpec& tensor : layout.tensors) text += tensor.name + str(tensor.shape);
  return std::hash<std::string>{}(text);
}

bool is_weights(const fs::path& path) { return path.extension() == ".safetensors"; }

}  // namespace

fs::path tiny_directory(std::string_view version) {
  const SynthLayout layout = published_layout(version, SynthSize::tiny).value();
  return made_once(fmt::format("{}-{:016x}", version, fingerprint(layout)), [&](const fs::path& out) {
    ThreadPool pool(2);
    EXPECT_OK(write_layout(layout, out, Existing::refuse, {}, pool));
  });
}

Copy::Copy(const fs::path& original) {
  std::string name = (data_dir() / "copy-XXXXXX").string();
  path_ = ::mkdtemp(name.data());
  for (const auto& entry : fs::recursive_directory_iterator(original)) {
    const fs::path target = path_ / fs::relative(entry.path(), original);
    if (entry.is_directory())
      fs::create_directories(target);
    else if (is_weights(entry.path()))
      fs::create_hard_link(entry.path(), target);
    else
      fs::copy_file(entry.path(), target);
  }
}

Copy::~Copy() { fs::remove_all(path_); }

void Copy::edit(const std::string& file, const std::function<void(json&)>& change) const {
  json document;
  std::ifstream(path_ / file) >> document;
  change(document);
  std::ofstream(path_ / file) << document;
}

void Copy::poke(const std::string& tensor, int64_t element, uint16_t bits) const {
  const fs::path weights = path_ / "model.safetensors";
  const auto offset = static_cast<int64_t>(Checkpoint::open(path_).value().find(tensor)->entry->offset) + 2 * element;
  const fs::path copy = path_ / "copy.safetensors";
  fs::copy_file(weights, copy);
  std::fstream stream(copy, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekp(offset);
  stream.write(reinterpret_cast<const char*>(&bits), sizeof bits);
  stream.close();
  fs::rename(copy, weights);
}

PolicyOptions tiny_options(const std::string& embodiment) {
  PolicyOptions options{.embodiment = embodiment, .steps = 1};
  options.engine.threads = 1;
  options.engine.tokenizer = qwen_vocabulary().value_or(fs::path());
  return options;
}

Scene::Scene(const std::string& embodiment, ImageSize size) {
  const JsonFile processor = JsonFile::load(tiny_directory("n17") / "processor_config.json").value();
  const json& robot = processor.root().raw()["processor_kwargs"]["modality_configs"][embodiment];
  const JsonFile statistics = JsonFile::load(tiny_directory("n17") / "statistics.json").value();
  for (const auto& camera : robot["video"]["modality_keys"])
    for (size_t t = 0; t < robot["video"]["delta_indices"].size(); ++t)
      observation.video[camera.get<std::string>()].push_back(draw(size));
  for (const auto& key : robot["state"]["modality_keys"]) {
    const json& low = statistics.root().raw()[embodiment]["state"][key.get<std::string>()]["min"];
    std::vector<float> row;
    for (size_t i = 0; i < low.size(); ++i) row.push_back(0.0625F * static_cast<float>(i + 1));
    observation.state[key.get<std::string>()] = {row};
  }
  observation.language[""] = "pick up the red block";
}

void Scene::resize(const std::string& camera, ImageSize size) {
  for (ImageView& frame : observation.video.at(camera)) frame = draw(size);
}

ImageView Scene::draw(ImageSize size) {
  std::vector<uint8_t>& rgb = pixels_.emplace_back();
  for (int64_t i = 0; i < size.height * size.width * 3; ++i)
    rgb.push_back(static_cast<uint8_t>((i / 3 % size.width) * 3 + i / 997 + static_cast<int64_t>(pixels_.size()) * 40));
  return {.rgb = rgb, .height = size.height, .width = size.width};
}

double rel_l2(std::span<const float> a, std::span<const float> b) {
  EXPECT_EQ(a.size(), b.size());
  double difference = 0, norm = 0;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    difference += std::pow(double{a[i]} - double{b[i]}, 2);
    norm += std::pow(double{b[i]}, 2);
  }
  return std::sqrt(difference / norm);
}

}  // namespace ramet::test
