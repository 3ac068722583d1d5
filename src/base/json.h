// Read access to JSON that knows where it is: every error names the file and the path of the key.
//
//   RAMET_TRY(const JsonFile file, JsonFile::load(dir / "config.json"));
//   RAMET_TRY(const auto layers, file.root().get<int64_t>("select_layer"));  // error: "config.json: select_layer"
//
// A Json is a cursor into a JsonFile and must not outlive it. Numbers are checked: an integer is never rounded, an
// out-of-range or non-finite number is an error. Unknown keys are the caller's business.
#pragma once

#include <ramet/error.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ramet {

class Json {
 public:
  Json(const nlohmann::json& node, std::string where) : node_(&node), where_(std::move(where)) {}

  const std::string& where() const { return where_; }  // "config.json: text_config.num_heads"
  const nlohmann::json& raw() const { return *node_; }

  bool is_null() const;
  bool is_object() const;
  bool is_array() const;
  bool is_string() const;
  bool is_number() const;
  bool has(std::string_view key) const;  // present and not null
  std::string type_name() const;         // "object", "array", "number", ...

  Result<Json> at(std::string_view key) const;  // a missing key is an error that lists the nearest names
  Result<Json> at(size_t index) const;
  Result<std::vector<std::pair<std::string, Json>>> items() const;  // of an object, sorted by key
  Result<std::vector<Json>> elements() const;                       // of an array

  // T: bool, int64_t, double, float, std::string, std::vector of one of these, std::vector<std::vector<double>>.
  template <class T>
  Result<T> as() const;
  template <class T>
  Result<T> get(std::string_view key) const {
    RAMET_TRY(const Json child, at(key));
    return child.as<T>();
  }
  template <class T>
  Result<T> get_or(std::string_view key, T fallback) const {
    if (!has(key)) return fallback;
    return get<T>(key);
  }

 private:
  const nlohmann::json* node_;
  std::string where_;
};

class JsonFile {
 public:
  // Refuses files over max_bytes, nesting over 64 levels, duplicate keys and text that is not UTF-8.
  static Result<JsonFile> load(const std::filesystem::path& path, uint64_t max_bytes = uint64_t{64} << 20);
  static Result<JsonFile> parse(std::string_view text, std::string name);

  JsonFile(JsonFile&&) noexcept;
  JsonFile& operator=(JsonFile&&) noexcept;
  ~JsonFile();

  Json root() const;
  const std::string& name() const { return name_; }

 private:
  JsonFile(std::unique_ptr<nlohmann::json> root, std::string name);
  std::unique_ptr<nlohmann::json> root_;
  std::string name_;
};

}  // namespace ramet
