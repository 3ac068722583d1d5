#include "policy/robot/observation.h"

#include "base/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ramet {
namespace {

constexpr uint64_t kMaxFileBytes = 16 << 20;
constexpr std::array<std::string_view, 6> kFields{"embodiment_tag", "data_config", "video",
                                                  "state",          "language",    "timestamps"};

std::string_view without_prefix(std::string_view key, std::string_view prefix) {
  if (key.starts_with(prefix)) key.remove_prefix(prefix.size());
  return key;
}

bool same_language_key(std::string_view a, std::string_view b) {
  return without_prefix(a, "annotation.") == without_prefix(b, "annotation.");
}

Result<std::vector<std::string>> one_or_more_texts(const Json& node) {
  if (!node.is_string()) return node.as<std::vector<std::string>>();
  RAMET_TRY(std::string text, node.as<std::string>());
  return std::vector{std::move(text)};
}

// A name that the file system cannot hold is no frame.
Result<std::filesystem::path> frame_path(const std::string& name, const std::filesystem::path& directory,
                                         const std::string& where) {
  if (name.empty() || name.find('\0') != std::string::npos)
    return fail(Code::invalid_value, where, "the path of a picture", "\"" + std::string(name.c_str()) + "\"");
  return directory / name;
}

Result<StateRows> state_rows(const Json& node) {
  RAMET_TRY(const std::vector<Json> entries, node.elements());
  if (entries.empty() || entries.front().is_array()) return node.as<StateRows>();
  RAMET_TRY(std::vector<float> row, node.as<std::vector<float>>());
  return StateRows{std::move(row)};
}

class Reader {
 public:
  explicit Reader(const std::filesystem::path& directory) : directory_(directory) {}

  Status read(const Json& root) {
    observation_.name = root.where();
    RAMET_TRY(observation_.embodiment_tag, root.get_or<std::string>("embodiment_tag", ""));
    if (root.has("data_config")) {
      RAMET_TRY(observation_.data_config, root.get<std::string>("data_config"));
    }
    RAMET_TRY(const auto items, root.items());
    for (const auto& [key, node] : items) RAMET_TRY_STATUS(read_field(key, node));
    return {};
  }

  ObservationFiles take() { return std::move(observation_); }

 private:
  Status read_field(const std::string& key, const Json& node) {
    if (key == "video") return read_group(node, &Reader::read_video);
    if (key == "state") return read_group(node, &Reader::read_state);
    if (key == "language") return read_language_field(node);
    if (key.starts_with("video.")) return read_video(key, node);
    if (key.starts_with("state.")) return read_state(key, node);
    if (key.starts_with("annotation.")) return read_language(key, node);
    if (std::find(kFields.begin(), kFields.end(), key) != kFields.end()) return {};
    return fail(Code::surplus, node.where(), "a field of an observation", "an unknown key",
                nearest_hint(key, {kFields.begin(), kFields.end()}));
  }

  Status read_group(const Json& node, Status (Reader::*read_one)(const std::string&, const Json&)) {
    RAMET_TRY(const auto items, node.items());
    for (const auto& [key, value] : items) RAMET_TRY_STATUS((this->*read_one)(key, value));
    return {};
  }

  Status read_video(const std::string& key, const Json& node) {
    RAMET_TRY(const std::vector<std::string> names, one_or_more_texts(node));
    std::vector<std::filesystem::path> frames;
    for (const std::string& name : names) {
      RAMET_TRY(auto path, frame_path(name, directory_, node.where()));
      frames.push_back(std::move(path));
    }
    return add(observation_.video, without_prefix(key, "video."), std::move(frames), node);
  }

  Status read_state(const std::string& key, const Json& node) {
    RAMET_TRY(StateRows rows, state_rows(node));
    return add(observation_.state, without_prefix(key, "state."), std::move(rows), node);
  }

  Status read_language(const std::string& key, const Json& node) {
    RAMET_TRY(std::vector<std::string> texts, one_or_more_texts(node));
    if (texts.size() != 1)
      return fail(Code::invalid_value, node.where(), "one text", fmt::format("{} texts", texts.size()));
    return add(observation_.language, key, std::move(texts.front()), node);
  }

  Status read_language_field(const Json& node) {
    if (!node.is_string()) return read_group(node, &Reader::read_language);
    RAMET_TRY(observation_.language[""], node.as<std::string>());
    return {};
  }

  template <class T>
  Status add(std::map<std::string, T>& values, std::string_view key, T value, const Json& node) {
    if (values.emplace(key, std::move(value)).second) return {};
    return fail(Code::invalid_value, node.where(), "each key once", "twice, with and without its prefix");
  }

  std::filesystem::path directory_;
  ObservationFiles observation_;
};

std::string frames(int64_t count) { return fmt::format("{} {}", count, count == 1 ? "frame" : "frames"); }

std::string camera_needs(const Modality& video) {
  return fmt::format("the robot needs {} of each of: {}", frames(video.horizon()),
                     list_names(video.modality_keys, video.modality_keys.size()));
}

Status check_video(const Observation& observation, const Modality& video) {
  for (const std::string& camera : video.modality_keys) {
    const auto it = observation.video.find(camera);
    const std::string where = fmt::format("{}: video.{}", observation.name, camera);
    if (it == observation.video.end())
      return fail(Code::not_found, where, "pictures of this camera", "none", camera_needs(video));
    const auto found = static_cast<int64_t>(it->second.size());
    if (found != video.horizon())
      return fail(Code::shape_mismatch, where, frames(video.horizon()) + ", oldest first", fmt::format("{}", found),
                  camera_needs(video));
  }
  for (const auto& [camera, pictures] : observation.video)
    if (!video.has_key(camera))
      return fail(Code::surplus, fmt::format("{}: video.{}", observation.name, camera), "a camera of this robot",
                  "an unknown name", camera_needs(video));
  return {};
}

const std::string* find_text(const Observation& observation, const std::string& key) {
  for (const auto& [given, text] : observation.language)
    if (given.empty() || same_language_key(given, key)) return &text;
  return nullptr;
}

std::string language_needs(const Modality& language) {
  return "the robot's instruction stands under " + list_names(language.modality_keys, language.modality_keys.size());
}

Status check_language(const Observation& observation, const Modality& language) {
  const std::string where = observation.name + ": language";
  const bool has_plain_text = observation.language.contains("");
  if (has_plain_text && observation.language.size() > 1)
    return fail(Code::invalid_value, where, "one instruction", "a text and keys", language_needs(language));
  if (has_plain_text) return {};
  for (const std::string& key : language.modality_keys)
    if (!find_text(observation, key))
      return fail(Code::not_found, where, "the key " + key, "none", language_needs(language));
  for (const auto& entry : observation.language) {
    const std::string& given = entry.first;
    const auto same = [&](const std::string& key) { return same_language_key(given, key); };
    if (std::none_of(language.modality_keys.begin(), language.modality_keys.end(), same))
      return fail(Code::surplus, where + "." + given, "a language key of this robot", "an unknown key",
                  language_needs(language));
  }
  return {};
}

}  // namespace

Result<ObservationFiles> parse_observation(const Json& root, const std::filesystem::path& directory) {
  Reader reader(directory);
  RAMET_TRY_STATUS(reader.read(root));
  return reader.take();
}

Result<ObservationFiles> load_observation(const std::filesystem::path& path) {
  RAMET_TRY(const JsonFile file, JsonFile::load(path, kMaxFileBytes));
  return parse_observation(file.root(), path.parent_path());
}

Status check(const Observation& observation, const ModalityConfig& modality) {
  RAMET_TRY_STATUS(check_video(observation, modality.video));
  return instruction(observation, modality.language).map([](const std::string&) {});
}

Result<std::string> instruction(const Observation& observation, const Modality& language) {
  RAMET_TRY_STATUS(check_language(observation, language));
  const std::string& text = *find_text(observation, language.modality_keys.front());
  if (text.size() <= kMaxInstructionBytes) return text;
  return fail(Code::invalid_value, observation.name + ": language",
              fmt::format("an instruction of at most {} bytes", kMaxInstructionBytes), fmt::format("{}", text.size()));
}

}  // namespace ramet
