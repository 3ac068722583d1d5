#include "server/testing.h"

#include "support/paths.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>

namespace ramet::server::test {
namespace {

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string from_hex(const std::string& hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return bytes;
}

std::string elements_of(const ordered_json& array) {
  if (!array.contains("pattern")) return from_hex(array.at("data"));
  size_t count = 1;
  for (const int64_t dim : array.at("shape")) count *= static_cast<size_t>(dim);
  const size_t mul = array["pattern"]["mul"], add = array["pattern"]["add"];
  std::string bytes(count, '\0');
  for (size_t i = 0; i < count; ++i) bytes[i] = static_cast<char>((i * mul + add) & 255);
  return bytes;
}

// The elements in C order, as they stand in the index.
std::string ordered_elements(const Array& array) {
  if (!array.fortran_order) return std::string(array.bytes);
  const auto item = static_cast<size_t>(array.type.item_bytes);
  std::string bytes(array.bytes.size(), '\0');
  const size_t rank = array.shape.size();
  for (size_t i = 0; i < bytes.size() / item; ++i) {
    size_t rest = i, offset = 0;
    std::vector<size_t> index(rank);
    for (size_t axis = rank; axis-- > 0; rest /= static_cast<size_t>(array.shape[axis]))
      index[axis] = rest % static_cast<size_t>(array.shape[axis]);
    for (size_t axis = rank; axis-- > 0;) offset = offset * static_cast<size_t>(array.shape[axis]) + index[axis];
    bytes.replace(i * item, item, array.bytes.substr(offset * item, item));
  }
  return bytes;
}

bool same_array(const Value& value, const ordered_json& expected, bool is_scalar) {
  const auto* array = value.as<Array>();
  if (array == nullptr || array->is_scalar != is_scalar || array->descr != expected.at("dtype")) return false;
  if (!is_scalar && array->shape != expected.at("shape").get<std::vector<int64_t>>()) return false;
  return ordered_elements(*array) == elements_of(expected);
}

bool same_float(double value, const std::string& name) {
  if (name == "nan") return std::isnan(value);
  return std::isinf(value) && std::signbit(value) == (name == "-inf");
}

bool same_map(const Map& map, const ordered_json& expected) {
  if (map.entries.size() != expected.size()) return false;
  auto entry = map.entries.begin();
  for (const auto& [key, value] : expected.items()) {
    if (entry->key != key || !same_tree(entry->value, value)) return false;
    ++entry;
  }
  return true;
}

bool same_config(const Value& value, const ordered_json& expected) {
  const auto* map = value.as<Map>();
  const Value* config = map ? map->find("as_json") : nullptr;
  if (config == nullptr) return false;
  if (const auto* text = config->as<Text>()) return text->view == expected.dump();
  return same_tree(*config, expected);
}

void add_arrays(const ordered_json& keys, std::string_view prefix, const auto& add) {
  for (const auto& [key, value] : keys.items())
    if (key.starts_with(prefix)) add(key.substr(prefix.size()), value);
}

std::vector<int64_t> indices(int64_t count) { return std::vector<int64_t>(static_cast<size_t>(count), 0); }

void describe_observation(const ordered_json& observation, EmbodimentInfo& robot) {
  const bool is_nested = observation.contains("video");
  const ordered_json& video = is_nested ? observation["video"] : observation;
  const ordered_json& state = is_nested ? observation["state"] : observation;
  add_arrays(video, is_nested ? "" : "video.", [&](const std::string& key, const ordered_json& value) {
    const auto shape = value["$array"]["shape"].get<std::vector<int64_t>>();
    robot.cameras.push_back(key);
    robot.video_delta_indices = indices(shape[shape.size() - 4]);
  });
  add_arrays(state, is_nested ? "" : "state.", [&](const std::string& key, const ordered_json& value) {
    if (!value.contains("$array")) return;
    const auto shape = value["$array"]["shape"].get<std::vector<int64_t>>();
    robot.state.push_back({.key = key, .dims = shape.back()});
    robot.state_delta_indices = indices(shape[shape.size() - 2]);
  });
  robot.language_keys = {"task"};
  if (is_nested) {
    robot.language_keys.clear();
    for (const auto& [key, value] : observation["language"].items()) robot.language_keys.push_back(key);
  } else if (observation.contains("annotation.human.task_description")) {
    robot.language_keys = {"annotation.human.task_description"};
  }
}

std::string bare(const std::string& key, const std::string& modality) {
  return key.starts_with(modality + ".") ? key.substr(modality.size() + 1) : key;
}

void describe_config(const std::string& modality, const ordered_json& config, EmbodimentInfo& robot) {
  std::vector<ModalityKey> keys;
  for (const std::string name : config.at("modality_keys")) {
    ModalityKey key{.key = modality == "language" ? name : bare(name, modality)};
    const auto has = [&](const char* list) {
      return config.contains(list) && config[list].is_array() &&
             std::find(config[list].begin(), config[list].end(), name) != config[list].end();
    };
    if (has("sin_cos_embedding_keys")) key.normalization = "sin_cos";
    if (has("mean_std_embedding_keys")) key.normalization = "mean_std";
    if (config.contains("action_configs") && config["action_configs"].is_array()) {
      const ordered_json& action = config["action_configs"][keys.size()];
      key.representation = action["rep"] == "RELATIVE" ? "relative" : action["rep"] == "DELTA" ? "delta" : "absolute";
      key.action_type = action["type"];
      key.action_format = action["format"];
      if (action["state_key"].is_string()) key.reference_state = action["state_key"];
    }
    keys.push_back(key);
  }
  const auto delta_indices = config.at("delta_indices").get<std::vector<int64_t>>();
  std::vector<std::string> names;
  for (const ModalityKey& key : keys) names.push_back(key.key);
  if (modality == "video") std::tie(robot.cameras, robot.video_delta_indices) = std::tie(names, delta_indices);
  if (modality == "state") std::tie(robot.state, robot.state_delta_indices) = std::tie(keys, delta_indices);
  if (modality == "action") std::tie(robot.action, robot.action_delta_indices) = std::tie(keys, delta_indices);
  if (modality == "language") robot.language_keys = names;
}

}  // namespace

std::vector<WireCase> wire_cases(const std::string& index) {
  const auto directory = ramet::test::golden_dir("wire");
  if (!directory) return {};
  const std::filesystem::path path = *directory / index;
  std::vector<WireCase> cases;
  const ordered_json document = ordered_json::parse(read_file(path));
  for (const ordered_json& entry : document.at("cases")) {
    WireCase item{.name = entry.at("name"),
                  .version = entry.value("version", ""),
                  .transport = entry.value("transport", ""),
                  .expect = entry.at("expect"),
                  .entry = entry,
                  .request = {},
                  .reply = {}};
    for (auto [side, bytes] : {std::pair{"request", &item.request}, {"reply", &item.reply}})
      if (entry.contains(side) && entry[side].contains("file"))
        *bytes = read_file(path.parent_path() / entry[side]["file"].get<std::string>());
    cases.push_back(std::move(item));
  }
  return cases;
}

bool same_tree(const Value& value, const ordered_json& expected) {
  if (expected.is_object() && expected.size() == 1 && expected.begin().key().starts_with("$")) {
    const std::string form = expected.begin().key();
    const ordered_json& inner = expected.begin().value();
    if (form == "$array" || form == "$scalar") return same_array(value, inner, form == "$scalar");
    if (form == "$bin") return value.as<Bytes>() && value.as<Bytes>()->view == from_hex(inner);
    if (form == "$complex") return value.as<Complex>() && value.as<Complex>()->view == inner;
    if (form == "$float") return value.as<double>() && same_float(*value.as<double>(), inner);
    return form == "$modality_config" && same_config(value, inner);
  }
  switch (expected.type()) {
    case ordered_json::value_t::null: return value.is_nil();
    case ordered_json::value_t::boolean: return value.as<bool>() && *value.as<bool>() == expected;
    case ordered_json::value_t::string: return value.as<Text>() && value.as<Text>()->view == expected;
    case ordered_json::value_t::number_float:
      return value.as<double>() &&
             std::bit_cast<uint64_t>(*value.as<double>()) == std::bit_cast<uint64_t>(expected.get<double>());
    case ordered_json::value_t::number_unsigned:
      if (expected.get<uint64_t>() > uint64_t{INT64_MAX})
        return value.as<uint64_t>() && *value.as<uint64_t>() == expected;
      [[fallthrough]];
    case ordered_json::value_t::number_integer: return value.as<int64_t>() && *value.as<int64_t>() == expected;
    case ordered_json::value_t::object: return value.as<Map>() && same_map(*value.as<Map>(), expected);
    case ordered_json::value_t::array: {
      const auto* list = value.as<List>();
      return list && std::equal(list->begin(), list->end(), expected.begin(), expected.end(), same_tree);
    }
    default: return false;
  }
}

EmbodimentInfo robot_of(const WireCase& wire_case) {
  const ordered_json request = wire_case.entry.at("request").value("value", ordered_json::object());
  EmbodimentInfo robot;
  if (request.value("endpoint", "") == "get_modality_config") {
    for (const auto& [modality, config] : wire_case.entry["reply"]["value"].items())
      describe_config(modality, config["$modality_config"], robot);
    return robot;
  }
  const bool is_ok_action = wire_case.expect == "ok" && request.value("endpoint", "get_action") == "get_action";
  if (!is_ok_action || !request.contains("data")) return small_robot();
  const ordered_json& data = request["data"];
  describe_observation(data.contains("observation") ? data["observation"] : data, robot);
  return robot;
}

std::vector<Actions> actions_of(const ordered_json& reply_value) {
  const ordered_json& map = reply_value.is_array() ? reply_value[0] : reply_value;
  constexpr size_t kBatchedRank = 3;
  std::vector<Actions> items;
  for (const auto& [name, value] : map.items()) {
    const std::string key = bare(name, "action");
    const ordered_json& array = value["$array"];
    auto shape = array["shape"].get<std::vector<int64_t>>();
    const std::string bytes = elements_of(array);
    const size_t batch = shape.size() == kBatchedRank ? static_cast<size_t>(shape[0]) : 1;
    if (shape.size() == kBatchedRank) shape.erase(shape.begin());
    items.resize(batch);
    const size_t count = bytes.size() / sizeof(float) / batch;
    for (size_t item = 0; item < batch; ++item) {
      FloatArray values{shape, std::vector<float>(count)};
      std::memcpy(values.values.data(), bytes.data() + item * count * sizeof(float), count * sizeof(float));
      items[item].keys.push_back(key);
      items[item].actions[key] = std::move(values);
      items[item].timing = {{"total", 1.0}};
    }
  }
  return items;
}

EmbodimentInfo small_robot() {
  EmbodimentInfo robot;
  robot.tag = "small";
  robot.video_delta_indices = robot.state_delta_indices = {0};
  robot.action_delta_indices = {0, 1};
  robot.action_horizon = 2;
  robot.cameras = {"front"};
  robot.state = {{.key = "arm", .dims = 2}};
  robot.action = {{.key = "arm", .dims = 2}};
  robot.language_keys = {"task"};
  return robot;
}

ServedPolicy small_policy() {
  return {.robot = small_robot(),
          .version = "GR00T N1.7",
          .noise_shape = {2, 4},
          .act = [](const Observation&, const ActOptions& options) -> Result<Actions> {
            Actions actions{.embodiment = "small", .horizon = 2, .keys = {"arm"}};
            const float first = options.noise ? options.noise->values[0] : static_cast<float>(options.seed);
            actions.actions["arm"] = {{2, 2}, {first, static_cast<float>(options.steps), 2, 3}};
            actions.timing = {{"vision", 0.5}, {"total", 1.0}};
            return actions;
          }};
}

}  // namespace ramet::server::test
