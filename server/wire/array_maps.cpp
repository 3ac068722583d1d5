#include "server/wire/array_maps.h"

#include "server/wire/element_type.h"
#include "server/wire/npy.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace ramet::server {
namespace {

constexpr const char* kRefusesObjects = "object and record arrays are refused";

tl::unexpected<Error> missing_field(std::string_view field, const Value* found) {
  return fail(Code::invalid_value, "array map", std::string(field), found ? type_name(*found) : "none",
              "an array has missing fields");
}

bool holds(const Value* value, std::string_view wanted) {
  if (value == nullptr) return false;
  if (const auto* text = value->as<Text>()) return text->view == wanted;
  const auto* bytes = value->as<Bytes>();
  return bytes != nullptr && bytes->view == wanted;
}

Status refuse_objects(const Map& map) {
  for (const Value* kind : {map.find("kind"), map.find_bytes_key("kind")})
    if (holds(kind, "O"))
      return fail(Code::unsupported_dtype, "array kind", "numbers or texts", "'O'", kRefusesObjects);
  return {};
}

Result<Array> typed_array(const Map& map) {
  Array array;
  array.dialect = Dialect::mnp;
  const Value* type = map.find_bytes_key("type");
  if (type == nullptr) return missing_field("type, a text", type);
  if (const auto* text = type->as<Text>()) {
    array.descr = text->view;
    RAMET_TRY(array.type, parse_element_type(array.descr));
  } else {
    return fail(Code::unsupported_dtype, "array type", "a text such as '<f4'", type_name(*type), kRefusesObjects);
  }
  const Value* data = map.find_bytes_key("data");
  const auto* bytes = data ? data->as<Bytes>() : nullptr;
  if (bytes == nullptr) return missing_field("data, bytes", data);
  array.bytes = bytes->view;
  return array;
}

Result<std::vector<int64_t>> read_shape(const Value* value) {
  const auto* list = value ? value->as<List>() : nullptr;
  if (list == nullptr) return missing_field("shape, a list", value);
  std::vector<int64_t> shape;
  if (list->size() > kMaxRank)
    return fail(Code::shape_mismatch, "array", "at most 8 axes", std::to_string(list->size()));
  for (const Value& dim : *list) {
    const auto* length = dim.as<int64_t>();
    if (length == nullptr) return fail(Code::shape_mismatch, "array shape", "integers", type_name(dim));
    shape.push_back(*length);
  }
  return shape;
}

Result<Value> read_mnp(const Map& map, const Value& nd) {
  const auto* is_array = nd.as<bool>();
  if (is_array == nullptr) return fail(Code::invalid_value, "array map: nd", "a bool", type_name(nd));
  RAMET_TRY(Array array, typed_array(map));
  array.is_scalar = !*is_array;
  if (*is_array) {
    RAMET_TRY(array.shape, read_shape(map.find_bytes_key("shape")));
  }
  RAMET_TRY_STATUS(check_size(array));
  return Value{std::move(array)};
}

Result<Value> read_npy_map(const Map& map) {
  const Value* file = map.find("as_npy");
  const auto* bytes = file ? file->as<Bytes>() : nullptr;
  if (bytes == nullptr) return missing_field("as_npy, bytes", file);
  RAMET_TRY(Array array, read_npy(bytes->view));
  return Value{std::move(array)};
}

// A number at the front of `text`, with an optional plus.
bool take_number(std::string_view& text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return problem == std::errc() || problem == std::errc::result_out_of_range;
}

// "2j", "(1+2j)"
bool is_complex(std::string_view text) {
  constexpr size_t kMaxBytes = 64;
  if (text.size() > kMaxBytes) return false;
  if (text.starts_with('(') && text.ends_with(')')) text = text.substr(1, text.size() - 2);
  if (!take_number(text)) return false;
  if (text == "j") return true;
  return (text.starts_with('+') || text.starts_with('-')) && take_number(text) && text == "j";
}

Result<Value> read_complex(const Map& map) {
  const Value* data = map.find_bytes_key("data");
  const auto* text = data ? data->as<Text>() : nullptr;
  if (text == nullptr || !is_complex(text->view))
    return fail(Code::invalid_value, "complex number", "a text such as (1+2j)", data ? type_name(*data) : "none");
  return Value{Complex{text->view}};
}

Status check_modality_config(const Map& map) {
  constexpr std::array<std::string_view, 5> kFields{"delta_indices", "modality_keys", "sin_cos_embedding_keys",
                                                    "mean_std_embedding_keys", "action_configs"};
  const Value* fields = map.find("as_json") ? map.find("as_json") : map.find("as_dict");
  if (fields != nullptr && fields->as<Text>()) return {};  // N1.5's JSON, which nothing here reads
  const auto* config = fields ? fields->as<Map>() : nullptr;
  if (config == nullptr || !config->find("delta_indices") || !config->find("modality_keys"))
    return fail(Code::invalid_value, "modality config", "delta_indices and modality_keys",
                fields ? type_name(*fields) : "none");
  for (const Entry& entry : config->entries)
    if (std::ranges::find(kFields, entry.key) == kFields.end())
      return fail(Code::surplus, "modality config", "its five fields", quoted(entry.key));
  return {};
}

}  // namespace

Result<Value> resolve_map(Map map) {
  RAMET_TRY_STATUS(refuse_objects(map));
  if (map.find("as_npy") || map.find("__ndarray_class__")) return read_npy_map(map);
  if (const Value* nd = map.find_bytes_key("nd")) return read_mnp(map, *nd);
  if (map.find_bytes_key("complex")) return read_complex(map);
  if (map.find("__ModalityConfig__") || map.find("__ModalityConfig_class__"))
    RAMET_TRY_STATUS(check_modality_config(map));
  return Value{std::move(map)};
}

}  // namespace ramet::server
