#include "server/reply.h"

#include "policy/text/utf8.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstring>

namespace ramet::server {
namespace {

constexpr size_t kMaxErrorBytes = 300;

std::string shortened(std::string text) {
  if (text.size() <= kMaxErrorBytes) return text;
  text.resize(kMaxErrorBytes - 3);
  while (!text.empty() && (static_cast<uint8_t>(text.back()) & 0xC0) == 0x80) text.pop_back();
  if (!text.empty() && static_cast<uint8_t>(text.back()) >= 0xC0) text.pop_back();
  return text + "...";
}

// [B, horizon, dims] from the items' [horizon, dims].
std::string stacked(std::span<const Actions> items, const std::string& key) {
  std::string bytes;
  for (const Actions& item : items) {
    const std::vector<float>& values = item.actions.at(key).values;
    bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
  }
  return bytes;
}

void write_action(MessageWriter& writer, std::span<const Actions> items, const ActionReply& how) {
  const Actions& first = items.front();
  writer.map(first.keys.size());
  for (const std::string& key : first.keys) {
    writer.text(how.api == Api::nested ? key : "action." + key);
    const std::string bytes = stacked(items, key);
    std::vector<int64_t> shape = first.actions.at(key).shape;
    if (how.has_batch_axis) shape.insert(shape.begin(), static_cast<int64_t>(items.size()));
    writer.array(how.form, {.descr = "<f4", .shape = std::move(shape), .bytes = bytes});
  }
}

void write_info(MessageWriter& writer, std::span<const Actions> items, bool with_timing) {
  writer.map(with_timing ? 1 : 0);
  if (!with_timing) return;
  const std::vector<StageMs>& stages = items.front().timing;
  writer.text("timing_ms");
  writer.map(stages.size());
  for (size_t stage = 0; stage < stages.size(); ++stage) {
    double ms = 0;
    for (const Actions& item : items) ms += item.timing[stage].ms;
    writer.text(stages[stage].stage);
    writer.number(ms);
  }
}

struct Modality {
  std::string_view name;
  std::vector<int64_t> delta_indices;
  std::vector<std::string> keys;
  std::vector<std::string> sin_cos_keys, mean_std_keys;
  const std::vector<ModalityKey>* actions = nullptr;
};

Modality keyed(std::string_view name, const std::vector<int64_t>& delta_indices, const std::vector<ModalityKey>& keys) {
  Modality modality{.name = name, .delta_indices = delta_indices};
  for (const ModalityKey& key : keys) {
    modality.keys.push_back(key.key);
    if (key.normalization == "sin_cos") modality.sin_cos_keys.push_back(key.key);
    if (key.normalization == "mean_std") modality.mean_std_keys.push_back(key.key);
  }
  return modality;
}

// Without those that have no keys: the N1.7 client cannot take them.
std::vector<Modality> modalities_of(const EmbodimentInfo& robot) {
  std::vector<Modality> all{{.name = "video", .delta_indices = robot.video_delta_indices, .keys = robot.cameras},
                            keyed("state", robot.state_delta_indices, robot.state),
                            keyed("action", robot.action_delta_indices, robot.action),
                            {.name = "language", .delta_indices = {0}, .keys = robot.language_keys}};
  const bool has_action_configs = !robot.action.empty() && !robot.action.front().action_type.empty();
  if (has_action_configs) all[2].actions = &robot.action;
  std::erase_if(all, [](const Modality& modality) { return modality.keys.empty(); });
  return all;
}

void write_texts(MessageWriter& writer, const std::vector<std::string>& texts) {
  if (texts.empty()) return writer.nil();
  writer.list(texts.size());
  for (const std::string& text : texts) writer.text(text);
}

std::string_view representation(const ModalityKey& key) {
  if (key.representation == "delta") return "DELTA";
  return key.representation.starts_with("relative") ? "RELATIVE" : "ABSOLUTE";
}

void write_action_configs(MessageWriter& writer, const std::vector<ModalityKey>* actions) {
  if (actions == nullptr) return writer.nil();
  writer.list(actions->size());
  for (const ModalityKey& key : *actions) {
    writer.map(4);
    writer.text("rep");
    writer.text(representation(key));
    writer.text("type");
    writer.text(key.action_type);
    writer.text("format");
    writer.text(key.action_format);
    writer.text("state_key");
    const bool is_own = key.reference_state.empty() || key.reference_state == key.key;
    is_own ? writer.nil() : writer.text(key.reference_state);
  }
}

void write_config(MessageWriter& writer, const Modality& modality) {
  writer.map(5);
  writer.text("delta_indices");
  writer.list(modality.delta_indices.size());
  for (const int64_t index : modality.delta_indices) writer.integer(index);
  writer.text("modality_keys");
  write_texts(writer, modality.keys);
  writer.text("sin_cos_embedding_keys");
  write_texts(writer, modality.sin_cos_keys);
  writer.text("mean_std_embedding_keys");
  write_texts(writer, modality.mean_std_keys);
  writer.text("action_configs");
  write_action_configs(writer, modality.actions);
}

std::string json_string(std::string_view text) {
  std::string line = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') line += '\\';
    if (static_cast<uint8_t>(c) < 0x20)
      line += fmt::format("\\u{:04x}", c);
    else
      line += c;
  }
  return line + "\"";
}

// N1.5: two fields as a text of compact JSON, keys with the prefix of their modality.
void write_n15_config(MessageWriter& writer, const Modality& modality) {
  std::vector<std::string> keys;
  for (const std::string& key : modality.keys)
    keys.push_back(json_string(modality.name == "language" ? key : fmt::format("{}.{}", modality.name, key)));
  writer.map(2);
  writer.text("__ModalityConfig_class__");
  writer.boolean(true);
  writer.text("as_json");
  writer.text(fmt::format("{{\"delta_indices\":[{}],\"modality_keys\":[{}]}}", fmt::join(modality.delta_indices, ","),
                          fmt::join(keys, ",")));
}

void write_marked_config(MessageWriter& writer, const Modality& modality, Wire wire) {
  if (wire == Wire::n15) return write_n15_config(writer, modality);
  const bool is_universal = wire == Wire::automatic;
  writer.map(is_universal ? 4 : 2);
  if (wire != Wire::mnp) {
    writer.text("__ModalityConfig_class__");
    writer.boolean(true);
  }
  if (wire != Wire::npy) {
    writer.text("__ModalityConfig__");
    writer.boolean(true);
  }
  writer.text("as_json");
  write_config(writer, modality);
  if (!is_universal) return;
  writer.text("as_dict");
  write_config(writer, modality);
}

}  // namespace

std::string pong() {
  MessageWriter writer;
  writer.map(2);
  writer.text("status");
  writer.text("ok");
  writer.text("message");
  writer.text("Server is running");
  return writer.take();
}

std::string nil_reply() {
  MessageWriter writer;
  writer.nil();
  return writer.take();
}

std::string empty_map() {
  MessageWriter writer;
  writer.map(0);
  return writer.take();
}

std::string client_text(const Error& error) {
  if (error.code == Code::internal || error.code == Code::no_memory)
    return shortened(fmt::format("{}: {}; the log of the server has the rest", name(error.code), error.expected));
  Error shown = error;
  if (error.code == Code::not_finite && error.hint.find('/') != std::string::npos) shown.hint.clear();
  const bool is_plain = error.expected.empty() && error.found.empty();
  return shortened(replace_ill_formed(is_plain ? error.where : shown.message()));
}

std::string error_reply(std::string_view text) {
  MessageWriter writer;
  writer.map(1);
  writer.text("error");
  writer.text(text);
  return writer.take();
}

std::string action_reply(std::span<const Actions> items, const ActionReply& how) {
  MessageWriter writer;
  if (how.api != Api::n15) writer.list(2);
  write_action(writer, items, how);
  if (how.api != Api::n15) write_info(writer, items, how.with_timing);
  return writer.take();
}

std::string modality_config_reply(const EmbodimentInfo& robot, Wire wire) {
  MessageWriter writer;
  const std::vector<Modality> modalities = modalities_of(robot);
  writer.map(modalities.size());
  for (const Modality& modality : modalities) {
    writer.text(modality.name);
    write_marked_config(writer, modality, wire);
  }
  return writer.take();
}

}  // namespace ramet::server
