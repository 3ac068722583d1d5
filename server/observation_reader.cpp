#include "server/observation_reader.h"

#include "base/names.h"
#include "server/wire/array_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace ramet::server {
namespace {

constexpr size_t kVideoRank = 5, kStateRank = 3;

bool starts_with_modality(std::string_view key) { return key.starts_with("video.") || key.starts_with("state."); }

// N1.5: everything has a batch axis exactly when every state has three axes.
bool has_batch_axis(const Map& observation) {
  return std::ranges::all_of(observation.entries, [](const Entry& entry) {
    if (entry.key.find("state") == std::string_view::npos) return true;
    const auto* array = entry.value.as<Array>();
    return array != nullptr && array->shape.size() >= kStateRank;
  });
}

// A client's text never opens a place for a picture.
std::string_view find_placeholder(std::string_view text) {
  constexpr std::array<std::string_view, 8> kPlaceholders{
      "<|image_pad|>", "<|video_pad|>", "<|vision_", "<IMG_CONTEXT>", "<img>", "</img>", "<image-", "<video-"};
  for (const std::string_view placeholder : kPlaceholders)
    if (text.find(placeholder) != std::string_view::npos) return placeholder;
  return {};
}

std::string shape_pattern(std::initializer_list<std::string> dims) {
  std::string text;
  for (const std::string& dim : dims)
    if (!dim.empty()) text += (text.empty() ? "[" : ",") + dim;
  return text + "]";
}

class Reader {
 public:
  Reader(const Map& observation, Api api, const EmbodimentInfo& robot, const ObservationRules& rules)
      : observation_(observation), api_(api), robot_(robot), rules_(rules) {
    batch_.has_batch_axis = api != Api::n15 || has_batch_axis(observation);
  }

  Result<ObservationBatch> read() {
    RAMET_TRY_STATUS(find_groups());
    for (const std::string& camera : robot_.cameras) RAMET_TRY_STATUS(read_camera(camera));
    for (const ModalityKey& key : robot_.state) RAMET_TRY_STATUS(read_state(key));
    RAMET_TRY_STATUS(read_language());
    batch_.dialect = mnp_arrays_ > 0 && npy_arrays_ == 0 ? Dialect::mnp : Dialect::npy;
    return std::move(batch_);
  }

 private:
  Status find_groups() {
    if (api_ != Api::nested) return {};
    for (auto [name, group] : {std::pair{"video", &video_}, {"state", &state_}, {"language", &language_}}) {
      const Value* value = observation_.find(name);
      *group = value ? value->as<Map>() : nullptr;
      if (*group == nullptr)
        return fail(Code::not_found, fmt::format("observation['{}']", name), "a map from keys to values",
                    value ? type_name(*value) : "none", needs());
    }
    return {};
  }

  std::string needs() const {
    std::vector<std::string> states;
    for (const ModalityKey& key : robot_.state) states.push_back(key.key);
    return fmt::format("this robot sends video {}; state {}; language {}", list_names(robot_.cameras),
                       list_names(states), list_names(robot_.language_keys));
  }

  Result<const Value*> find(const Map* group, std::string_view modality, const std::string& key) const {
    const std::string flat_key = fmt::format("{}.{}", modality, key);
    const Value* value = api_ == Api::nested ? group->find(key) : observation_.find(flat_key);
    if (value) return value;
    return fail(Code::not_found, fmt::format("{} key '{}'", modality, api_ == Api::nested ? key : flat_key), "a value",
                "none", needs());
  }

  Result<const Array*> array_of(const Value& value, const std::string& where) {
    const auto* array = value.as<Array>();
    if (array == nullptr) return fail(Code::invalid_value, where, "a NumPy array", type_name(value));
    ++(array->dialect == Dialect::mnp ? mnp_arrays_ : npy_arrays_);
    return array;
  }

  // The axes with the batch in front. Errors: shape_mismatch.
  Result<std::vector<int64_t>> batched_shape(const Array& array, size_t rank, const std::string& where,
                                             const std::string& wanted) {
    std::vector<int64_t> shape = array.shape;
    if (!batch_.has_batch_axis) shape.insert(shape.begin(), 1);
    if (shape.size() != rank) return fail(Code::shape_mismatch, where, wanted, str(array.shape));
    RAMET_TRY_STATUS(take_batch(shape.front(), where));
    return shape;
  }

  Status take_batch(int64_t size, const std::string& where) {
    if (!batch_.items.empty() && size == static_cast<int64_t>(batch_.items.size())) return {};
    if (!batch_.items.empty())
      return fail(Code::shape_mismatch, where, fmt::format("a batch of {}, as the first key", batch_.items.size()),
                  fmt::format("{}", size));
    if (size < 1 || size > rules_.max_batch)
      return fail(Code::shape_mismatch, where, fmt::format("a batch of 1 to {}", rules_.max_batch),
                  fmt::format("{}", size), "--max-batch of the server sets the limit");
    batch_.items.resize(static_cast<size_t>(size));
    return {};
  }

  std::string batch_name() const { return batch_.has_batch_axis ? "B" : ""; }

  Status read_camera(const std::string& camera) {
    const std::string where = fmt::format("video key '{}'", camera);
    RAMET_TRY(const Value* value, find(video_, "video", camera));
    RAMET_TRY(const Array* array, array_of(*value, where));
    if (array->type.kind != 'u' || array->type.item_bytes != 1)
      return fail(Code::unsupported_dtype, where, "dtype uint8", quoted(array->descr));
    const auto frames = static_cast<int64_t>(robot_.video_delta_indices.size());
    const std::string wanted = shape_pattern({batch_name(), std::to_string(frames), "H", "W", "3"});
    RAMET_TRY(const std::vector<int64_t> shape, batched_shape(*array, kVideoRank, where, wanted));
    if (shape[1] != frames || shape[4] != 3) return fail(Code::shape_mismatch, where, wanted, str(array->shape));
    for (const int64_t side : {shape[2], shape[3]})
      if (side < 1 || side > rules_.max_image_side)
        return fail(Code::invalid_value, where, fmt::format("pictures of 1 to {} pixels a side", rules_.max_image_side),
                    str(array->shape));
    add_frames(camera, *array, shape);
    return {};
  }

  void add_frames(const std::string& camera, const Array& array, const std::vector<int64_t>& shape) {
    const auto* pixels = reinterpret_cast<const uint8_t*>(array.bytes.data());
    if (array.fortran_order) pixels = batch_.copies.emplace_back(reordered_bytes(array)).data();
    const size_t frame_bytes = static_cast<size_t>(shape[2] * shape[3] * shape[4]);
    for (Observation& item : batch_.items)
      for (int64_t frame = 0; frame < shape[1]; ++frame, pixels += frame_bytes)
        item.video[camera].push_back({{pixels, frame_bytes}, shape[2], shape[3]});
  }

  bool is_state_type(const ElementType& type) const {
    if (rules_.cast_types) return is_number_type(type);
    const bool takes_double = api_ == Api::n15 && type.item_bytes == 8;
    return type.kind == 'f' && !type.big_endian && (type.item_bytes == 4 || takes_double);
  }

  Status read_state(const ModalityKey& key) {
    const std::string where = fmt::format("state key '{}'", key.key);
    RAMET_TRY(const Value* value, find(state_, "state", key.key));
    RAMET_TRY(const Array* array, array_of(*value, where));
    if (!is_state_type(array->type))
      return fail(Code::unsupported_dtype, where, api_ == Api::n15 ? "dtype float32 or float64" : "dtype float32",
                  quoted(array->descr));
    const auto rows = static_cast<int64_t>(robot_.state_delta_indices.size());
    const std::string wanted =
        shape_pattern({batch_name(), std::to_string(rows), key.dims > 0 ? std::to_string(key.dims) : "D"});
    RAMET_TRY(const std::vector<int64_t> shape, batched_shape(*array, kStateRank, where, wanted));
    if (shape[1] != rows || shape[2] < 1 || (key.dims > 0 && shape[2] != key.dims))
      return fail(Code::shape_mismatch, where, wanted, str(array->shape));
    RAMET_TRY(const std::vector<float> values, read_floats(*array, where));
    const auto bad = std::ranges::find_if(values, [](float x) { return !std::isfinite(x); });
    if (bad != values.end())
      return fail(Code::not_finite, where, "finite numbers", fmt::format("{} at {}", *bad, bad - values.begin()));
    add_rows(key.key, values, shape);
    return {};
  }

  void add_rows(const std::string& key, const std::vector<float>& values, const std::vector<int64_t>& shape) {
    auto row = values.begin();
    for (Observation& item : batch_.items)
      for (int64_t i = 0; i < shape[1]; ++i, row += shape[2]) item.state[key].emplace_back(row, row + shape[2]);
  }

  // The original flat wrapper takes DROID's coarse instruction in the place of "task"; N1.5 takes any annotation.
  const Value* find_language() const {
    const std::string key = robot_.language_key();
    if (const Value* value = (language_ ? *language_ : observation_).find(key)) return value;
    if (api_ == Api::flat && key == "task") return observation_.find("annotation.human.coarse_action");
    if (api_ != Api::n15) return nullptr;
    const auto is_annotation = [](const Entry& entry) { return entry.key.starts_with("annotation."); };
    const auto found = std::ranges::find_if(observation_.entries, is_annotation);
    return found == observation_.entries.end() ? nullptr : &found->value;
  }

  Status read_language() {
    if (robot_.language_keys.empty()) return {};
    const std::string where = fmt::format("language key '{}'", robot_.language_key());
    const Value* value = find_language();
    if (value == nullptr) return fail(Code::not_found, where, "an instruction", "none", needs());
    if (api_ == Api::nested)
      for (const std::string& key : robot_.language_keys)
        if (!language_->find(key))
          return fail(Code::not_found, fmt::format("language key '{}'", key), "an instruction", "none", needs());
    RAMET_TRY(std::vector<std::string> texts, texts_of(*value, where));
    const size_t batch = batch_.items.size();
    if (texts.size() == 1 && api_ == Api::n15) texts.resize(batch, texts.front());
    if (texts.size() != batch)
      return fail(Code::shape_mismatch, where, fmt::format("{} texts, one for each of the batch", batch),
                  fmt::format("{}", texts.size()));
    for (size_t i = 0; i < batch; ++i) {
      RAMET_TRY_STATUS(check_text(texts[i], where));
      batch_.items[i].language[""] = std::move(texts[i]);
    }
    return {};
  }

  // A list of texts, a list of lists of one text (nested), or an array of texts.
  Result<std::vector<std::string>> texts_of(const Value& value, const std::string& where) const {
    if (const auto* array = value.as<Array>(); array && api_ != Api::nested) return read_texts(*array, where);
    const auto* list = value.as<List>();
    const std::string wanted =
        api_ == Api::nested ? "a list of lists of one text, [['...']]" : "a list of texts, ['...']";
    if (list == nullptr) return fail(Code::invalid_value, where, wanted, type_name(value));
    std::vector<std::string> texts;
    for (const Value& item : *list) {
      const Value* text = &item;
      if (api_ == Api::nested) {
        const auto* inner = item.as<List>();
        if (inner == nullptr || inner->size() != 1)
          return fail(Code::invalid_value, where, wanted,
                      inner ? fmt::format("a list of {}", inner->size()) : type_name(item));
        text = &inner->front();
      }
      if (!text->as<Text>()) return fail(Code::invalid_value, where, wanted, type_name(*text));
      texts.emplace_back(text->as<Text>()->view);
    }
    return texts;
  }

  Status check_text(const std::string& text, const std::string& where) const {
    if (static_cast<int64_t>(text.size()) > rules_.max_text_bytes)
      return fail(Code::invalid_value, where, fmt::format("at most {} bytes", rules_.max_text_bytes),
                  fmt::format("{}", text.size()), "--max-text-bytes of the server sets the limit");
    const std::string_view placeholder = find_placeholder(text);
    if (placeholder.empty()) return {};
    return fail(Code::invalid_value, where, "no places for pictures in the text", quoted(placeholder));
  }

  const Map& observation_;
  Api api_;
  const EmbodimentInfo& robot_;
  const ObservationRules& rules_;
  const Map *video_ = nullptr, *state_ = nullptr, *language_ = nullptr;  // nested only
  ObservationBatch batch_;
  int64_t npy_arrays_ = 0, mnp_arrays_ = 0;
};

}  // namespace

std::string_view name(Api api) {
  switch (api) {
    case Api::nested: return "nested";
    case Api::flat: return "flat";
    case Api::n15: return "n15";
  }
  return "";
}

bool is_flat(const Map& observation) {
  if (observation.find("video") || observation.find("state") || observation.find("language")) return false;
  return std::ranges::any_of(observation.entries, [](const Entry& entry) { return starts_with_modality(entry.key); });
}

Result<ObservationBatch> read_observation(const Map& observation, Api api, const EmbodimentInfo& robot,
                                          const ObservationRules& rules) {
  return Reader(observation, api, robot, rules).read();
}

}  // namespace ramet::server
