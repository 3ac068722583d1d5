#include "server/wire/message_reader.h"

#include "policy/text/utf8.h"
#include "server/wire/array_maps.h"

#include <fmt/format.h>

#include <msgpack/null_visitor.hpp>
#include <msgpack/unpack.hpp>
#include <optional>

namespace ramet::server {
namespace {

tl::unexpected<Error> malformed(std::string expected, std::string found, std::string hint = {}) {
  return fail(Code::invalid_value, "malformed message", std::move(expected), std::move(found), std::move(hint));
}

// Builds the tree from the parser's calls; each returns whether to go on. The parser keeps its own stack on the heap,
// so nesting costs no stack of the thread.
class TreeBuilder : public msgpack::null_visitor {
 public:
  explicit TreeBuilder(const ReadLimits& limits) : limits_(limits) {}

  bool visit_nil() { return add(Value{Nil{}}); }
  bool visit_boolean(bool value) { return add(Value{value}); }
  bool visit_positive_integer(uint64_t value) {
    if (value > static_cast<uint64_t>(INT64_MAX)) return add(Value{value});
    return add(Value{static_cast<int64_t>(value)});
  }
  bool visit_negative_integer(int64_t value) { return add(Value{value}); }
  bool visit_float32(float value) { return add(Value{static_cast<double>(value)}); }
  bool visit_float64(double value) { return add(Value{value}); }
  bool visit_str(const char* data, uint32_t size) {
    const std::string_view text(data, size);
    if (Status status = check_utf8(text, "malformed message"); !status) return stop(std::move(status.error()));
    return in_key_ ? take_key(text, false) : add(Value{Text{text}});
  }
  bool visit_bin(const char* data, uint32_t size) {
    const std::string_view bytes(data, size);
    return in_key_ ? take_key(bytes, true) : add(Value{Bytes{bytes}});
  }
  bool visit_ext(const char*, uint32_t) { return refuse("no extension types", "one"); }

  bool start_array(uint32_t count) { return open(Value{List{}}, count); }
  bool end_array() {
    Value list = std::move(open_.back().value);
    open_.pop_back();
    return add(std::move(list));
  }
  bool start_map(uint32_t count) { return open(Value{Map{}}, count); }
  bool start_map_key() { return in_key_ = true; }
  bool end_map_key() {
    in_key_ = false;
    return true;
  }
  bool end_map() {
    Map map = std::move(std::get<Map>(open_.back().value.data));
    open_.pop_back();
    Result<Value> value = resolve_map(std::move(map));
    return value ? add(std::move(*value)) : stop(std::move(value.error()));
  }
  void parse_error(size_t, size_t at) { refuse("msgpack", fmt::format("a byte that is none, at {}", at)); }
  void insufficient_bytes(size_t, size_t at) { refuse("a whole message", fmt::format("its end after {} bytes", at)); }

  Result<Value> take() {
    if (error_) return tl::unexpected<Error>(std::move(*error_));
    if (!root_) return malformed("one value", "none");
    return std::move(*root_);
  }

 private:
  struct Open {
    Value value;
    std::string_view key = {};
    bool key_is_bytes = false;
  };

  bool stop(Error error) {
    if (!error_) error_ = std::move(error);
    return false;
  }
  bool refuse(std::string expected, std::string found, std::string hint = {}) {
    return stop(malformed(std::move(expected), std::move(found), std::move(hint)).value());
  }

  bool take_key(std::string_view key, bool is_bytes) {
    open_.back().key = key;
    open_.back().key_is_bytes = is_bytes;
    return true;
  }

  bool open(Value container, uint32_t count) {
    if (in_key_) return refuse("map keys of text or bytes", type_name(container));
    if (static_cast<int64_t>(open_.size()) == limits_.max_depth)
      return refuse(fmt::format("at most {} levels", limits_.max_depth), "more", "nested too deep");
    values_ += count;
    if (values_ > limits_.max_values)
      return refuse(fmt::format("at most {} values", limits_.max_values), "more", "too many values");
    if (auto* list = std::get_if<List>(&container.data)) list->reserve(count);
    if (auto* map = std::get_if<Map>(&container.data)) map->entries.reserve(count);
    open_.push_back({std::move(container)});
    return true;
  }

  bool add(Value value) {
    if (in_key_) return refuse("map keys of text or bytes", type_name(value));
    if (open_.empty()) {
      root_ = std::move(value);
      return true;
    }
    Open& parent = open_.back();
    if (auto* list = std::get_if<List>(&parent.value.data))
      list->push_back(std::move(value));
    else
      std::get<Map>(parent.value.data).entries.push_back({parent.key, parent.key_is_bytes, std::move(value)});
    return true;
  }

  ReadLimits limits_;
  std::vector<Open> open_;
  std::optional<Value> root_;
  std::optional<Error> error_;
  int64_t values_ = 0;
  bool in_key_ = false;
};

// What clients of other times send in the place of a message.
std::string foreign_hint(std::string_view body) {
  if (body.starts_with("PK\x03\x04")) return "a torch.save archive: this client is too old, take one since 2025-08-25";
  if (body.starts_with("\x80\x02") || body.starts_with("\x80\x04")) return "pickles are refused";
  return {};
}

Result<Value> parse(std::string_view body, const ReadLimits& limits) {
  TreeBuilder builder(limits);
  size_t end = 0;
  msgpack::parse(body.data(), body.size(), end, builder);
  RAMET_TRY(Value value, builder.take());
  if (end < body.size()) return malformed("its end", fmt::format("{} more bytes", body.size() - end));
  return value;
}

}  // namespace

Result<Value> read_message(std::string_view body, const ReadLimits& limits) {
  if (body.empty()) return malformed("a map", "an empty body");
  return parse(body, limits).map_error([&](Error error) {
    if (error.hint.empty()) error.hint = foreign_hint(body);
    return error;
  });
}

}  // namespace ramet::server
