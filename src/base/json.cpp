#include "base/json.h"

#include "base/names.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

namespace ramet {
namespace {

using nlohmann::json;

constexpr int kMaxDepth = 64;
constexpr size_t kMaxShown = 60;

std::string shown(const json& node) {
  std::string text = node.is_object() || node.is_array()
                         ? fmt::format("{} with {} entries", node.type_name(), node.size())
                         : node.dump(-1, ' ', false, json::error_handler_t::replace);
  if (text.size() > kMaxShown) text = text.substr(0, kMaxShown) + "...";
  return text;
}

std::string join(const std::string& where, std::string_view key) {
  const bool at_root = where.find(": ") == std::string::npos;
  return where + (at_root ? ": " : ".") + std::string(key);
}

tl::unexpected<Error> wrong(const json& node, const std::string& where, std::string expected) {
  return fail(Code::invalid_value, where, std::move(expected), shown(node));
}

Result<bool> read(const json& node, const std::string& where, const bool*) {
  if (!node.is_boolean()) return wrong(node, where, "true or false");
  return node.get<bool>();
}

Result<int64_t> read(const json& node, const std::string& where, const int64_t*) {
  if (node.is_number_unsigned() && node.get<uint64_t>() > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
    return wrong(node, where, "an integer below 2^63");
  if (node.is_number_integer()) return node.get<int64_t>();
  return wrong(node, where, "an integer");
}

Result<double> read(const json& node, const std::string& where, const double*) {
  if (!node.is_number()) return wrong(node, where, "a number");
  const double value = node.get<double>();
  if (!std::isfinite(value)) return wrong(node, where, "a finite number");
  return value;
}

Result<float> read(const json& node, const std::string& where, const float*) {
  RAMET_TRY(const double value, read(node, where, static_cast<const double*>(nullptr)));
  if (std::abs(value) > std::numeric_limits<float>::max()) return wrong(node, where, "a number that fits float32");
  return static_cast<float>(value);
}

Result<std::string> read(const json& node, const std::string& where, const std::string*) {
  if (!node.is_string()) return wrong(node, where, "a text");
  return node.get<std::string>();
}

template <class T>
Result<std::vector<T>> read(const json& node, const std::string& where, const std::vector<T>*) {
  if (!node.is_array()) return wrong(node, where, "a list");
  std::vector<T> values;
  values.reserve(node.size());
  for (size_t i = 0; i < node.size(); ++i) {
    RAMET_TRY(T value, read(node[i], fmt::format("{}[{}]", where, i), static_cast<const T*>(nullptr)));
    values.push_back(std::move(value));
  }
  return values;
}

// Walks the events of a text and stops at the first key that an object holds twice. A pass of its own: the parser's
// callback would cost time quadratic in the members of an object.
class DuplicateFinder : public nlohmann::json_sax<json> {
 public:
  const std::optional<std::string>& duplicate() const { return duplicate_; }

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool start_object(std::size_t) override {
    keys_.emplace_back();
    return true;
  }
  bool end_object() override {
    keys_.pop_back();
    return true;
  }
  bool key(string_t& name) override {
    if (keys_.back().insert(name).second) return true;
    duplicate_ = name;
    return false;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  std::vector<std::set<std::string>> keys_;
  std::optional<std::string> duplicate_;
};

// Deep nesting is refused before the parser builds it, since each level costs memory.
bool too_deep(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      if (++depth > kMaxDepth) return true;
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return false;
}

}  // namespace

bool Json::is_null() const { return node_->is_null(); }
bool Json::is_object() const { return node_->is_object(); }
bool Json::is_array() const { return node_->is_array(); }
bool Json::is_string() const { return node_->is_string(); }
bool Json::is_number() const { return node_->is_number(); }
std::string Json::type_name() const { return node_->type_name(); }

bool Json::has(std::string_view key) const {
  if (!node_->is_object()) return false;
  const auto it = node_->find(std::string(key));
  return it != node_->end() && !it->is_null();
}

Result<Json> Json::at(std::string_view key) const {
  if (!node_->is_object()) return wrong(*node_, where_, fmt::format("an object with the key \"{}\"", key));
  const auto it = node_->find(std::string(key));
  if (it == node_->end()) {
    std::vector<std::string> names;
    for (const auto& item : node_->items()) names.push_back(item.key());
    return fail(Code::not_found, join(where_, key), "this key", "none", nearest_hint(key, names));
  }
  return Json(*it, join(where_, key));
}

Result<Json> Json::at(size_t index) const {
  if (!node_->is_array() || index >= node_->size())
    return wrong(*node_, where_, fmt::format("a list with at least {} entries", index + 1));
  return Json((*node_)[index], fmt::format("{}[{}]", where_, index));
}

Result<std::vector<std::pair<std::string, Json>>> Json::items() const {
  if (!node_->is_object()) return wrong(*node_, where_, "an object");
  std::vector<std::pair<std::string, Json>> result;
  for (const auto& item : node_->items()) result.emplace_back(item.key(), Json(item.value(), join(where_, item.key())));
  return result;
}

Result<std::vector<Json>> Json::elements() const {
  if (!node_->is_array()) return wrong(*node_, where_, "a list");
  std::vector<Json> result;
  for (size_t i = 0; i < node_->size(); ++i) result.emplace_back((*node_)[i], fmt::format("{}[{}]", where_, i));
  return result;
}

template <class T>
Result<T> Json::as() const {
  return read(*node_, where_, static_cast<const T*>(nullptr));
}

template Result<bool> Json::as<bool>() const;
template Result<int64_t> Json::as<int64_t>() const;
template Result<double> Json::as<double>() const;
template Result<float> Json::as<float>() const;
template Result<std::string> Json::as<std::string>() const;
template Result<std::vector<int64_t>> Json::as<std::vector<int64_t>>() const;
template Result<std::vector<double>> Json::as<std::vector<double>>() const;
template Result<std::vector<float>> Json::as<std::vector<float>>() const;
template Result<std::vector<std::string>> Json::as<std::vector<std::string>>() const;
template Result<std::vector<std::vector<double>>> Json::as<std::vector<std::vector<double>>>() const;
template Result<std::vector<std::vector<float>>> Json::as<std::vector<std::vector<float>>>() const;

JsonFile::JsonFile(std::unique_ptr<json> root, std::string name) : root_(std::move(root)), name_(std::move(name)) {}
JsonFile::JsonFile(JsonFile&&) noexcept = default;
JsonFile& JsonFile::operator=(JsonFile&&) noexcept = default;
JsonFile::~JsonFile() = default;

Json JsonFile::root() const { return Json(*root_, name_); }

Result<JsonFile> JsonFile::parse(std::string_view text, std::string name) {
  if (too_deep(text))
    return fail(Code::invalid_file, std::move(name), fmt::format("JSON of at most {} levels", kMaxDepth), "more");
  auto root = std::make_unique<json>();
  DuplicateFinder finder;
  try {
    *root = json::parse(text);
    json::sax_parse(text, &finder);
  } catch (const json::exception& exception) {
    return fail(Code::invalid_file, std::move(name), "valid JSON in UTF-8", exception.what());
  }
  if (finder.duplicate())
    return fail(Code::invalid_file, std::move(name), "each key once in an object",
                "\"" + *finder.duplicate() + "\" twice");
  return JsonFile(std::move(root), std::move(name));
}

Result<JsonFile> JsonFile::load(const std::filesystem::path& path, uint64_t max_bytes) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) return fail(Code::not_found, path.string(), "a JSON file", error.message());
  if (!std::filesystem::is_regular_file(status))
    return fail(Code::invalid_file, path.string(), "a regular file", "something else");
  const uint64_t size = std::filesystem::file_size(path, error);
  if (error) return fail(Code::not_found, path.string(), "a readable file", error.message());
  if (size > max_bytes)
    return fail(Code::invalid_file, path.string(), fmt::format("at most {} bytes", max_bytes),
                fmt::format("{} bytes", size));
  std::string text(size, '\0');
  std::ifstream stream(path, std::ios::binary);
  if (!stream.read(text.data(), static_cast<std::streamsize>(size)))
    return fail(Code::no_resource, path.string(), "a readable file", "a read error");
  return parse(text, path.string());
}

}  // namespace ramet
