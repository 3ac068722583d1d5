#include "server/json_numpy.h"

#include "server/wire/element_type.h"

#include <openssl/evp.h>

#include <nlohmann/json.hpp>

namespace ramet::server {
namespace {

using nlohmann::json;

Result<Value> read_array(const Json& node, std::deque<std::string>& buffers) {
  RAMET_TRY(const Json text, node.at("__numpy__"));
  RAMET_TRY(const Json dtype, node.at("dtype"));
  if (!text.is_string() || !dtype.is_string())
    return fail(Code::invalid_value, node.where(), "texts as __numpy__ and dtype", "something else");
  Array array;
  array.descr = dtype.raw().get_ref<const std::string&>();
  RAMET_TRY(array.type, parse_element_type(array.descr));
  RAMET_TRY(array.shape, node.get<std::vector<int64_t>>("shape"));
  RAMET_TRY(std::string bytes, decode_base64(text.raw().get_ref<const std::string&>(), text.where()));
  array.bytes = buffers.emplace_back(std::move(bytes));
  RAMET_TRY_STATUS(check_size(array));
  return Value{std::move(array)};
}

Result<Value> read_object(const Json& node, std::deque<std::string>& buffers) {
  if (node.has("__numpy__")) return read_array(node, buffers);
  Map map;
  for (const auto& [key, value] : node.raw().get_ref<const json::object_t&>()) {
    Result<Value> child = read_json_numpy(Json(value, node.where() + ": " + key), buffers);
    if (!child) return child;
    map.entries.push_back({key, false, std::move(*child)});
  }
  return Value{std::move(map)};
}

Result<Value> read_list(const Json& node, std::deque<std::string>& buffers) {
  List list;
  for (const json& item : node.raw()) {
    Result<Value> child = read_json_numpy(Json(item, node.where()), buffers);
    if (!child) return child;
    list.push_back(std::move(*child));
  }
  return Value{std::move(list)};
}

}  // namespace

Result<Value> read_json_numpy(const Json& node, std::deque<std::string>& buffers) {
  const json& raw = node.raw();
  switch (raw.type()) {
    case json::value_t::object: return read_object(node, buffers);
    case json::value_t::array: return read_list(node, buffers);
    case json::value_t::string: return Value{Text{raw.get_ref<const std::string&>()}};
    case json::value_t::boolean: return Value{raw.get<bool>()};
    case json::value_t::number_unsigned: return Value{raw.get<uint64_t>()};
    case json::value_t::number_integer: return Value{raw.get<int64_t>()};
    case json::value_t::number_float: return Value{raw.get<double>()};
    default: return Value{Nil{}};
  }
}

Result<std::string> decode_base64(std::string_view text, const std::string& where) {
  constexpr size_t kGroup = 4, kGroupBytes = 3;
  const auto bad = [&] { return fail(Code::invalid_value, where, "base64", "something else"); };
  if (text.size() % kGroup != 0 || text.size() > size_t{1} << 30) return bad();
  std::string bytes(text.size() / kGroup * kGroupBytes, '\0');
  const int decoded =
      EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                      reinterpret_cast<const unsigned char*>(text.data()), static_cast<int>(text.size()));
  if (decoded != static_cast<int>(bytes.size())) return bad();
  const size_t padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;
  if (text.substr(0, text.size() - padding).find('=') != std::string_view::npos) return bad();
  bytes.resize(bytes.size() - padding);
  return bytes;
}

std::string encode_base64(std::string_view bytes) {
  constexpr size_t kGroup = 4, kGroupBytes = 3;
  std::string text((bytes.size() + kGroupBytes - 1) / kGroupBytes * kGroup + 1, '\0');
  const int size =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                      reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  text.resize(static_cast<size_t>(size));
  return text;
}

}  // namespace ramet::server
