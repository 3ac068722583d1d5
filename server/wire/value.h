// A decoded message: a tree of msgpack values in which the array maps of both dialects have become arrays.
//
// Nothing is copied: texts, bytes and elements are views into the message, which must outlive the tree.
// Source: spec policy-server, section 5.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ramet::server {

// How arrays travel: as a .npy file in a map (N1.5, N1.6), or as msgpack-numpy's map (N1.7).
enum class Dialect { npy, mnp };

std::string_view name(Dialect dialect);

// The type of an element: kind b, i, u, f (numbers), U (UCS-4 text) or S (bytes).
struct ElementType {
  char kind = 'f';
  int64_t item_bytes = 4;
  bool big_endian = false;
};

struct Array {
  std::string_view descr;  // "<f4"
  ElementType type;
  std::vector<int64_t> shape;
  std::string_view bytes;  // exactly what shape and type ask for
  bool fortran_order = false;
  bool is_scalar = false;  // a NumPy scalar; mnp only
  Dialect dialect = Dialect::npy;

  int64_t elements() const;
};

struct Nil {};
struct Text {
  std::string_view view;  // valid UTF-8
};
struct Bytes {
  std::string_view view;
};
struct Complex {
  std::string_view view;  // "(1+2j)"
};

struct Value;
struct Entry;
using List = std::vector<Value>;

struct Map {
  std::vector<Entry> entries;  // in wire order

  // The last value under a text key, as a Python dict has it; null when there is none.
  const Value* find(std::string_view key) const;
  const Value* find_bytes_key(std::string_view key) const;
};

struct Value {
  std::variant<Nil, bool, int64_t, uint64_t, double, Text, Bytes, Complex, List, Map, Array> data;

  template <class T>
  const T* as() const {
    return std::get_if<T>(&data);
  }
  bool is_nil() const { return std::holds_alternative<Nil>(data); }
};

struct Entry {
  std::string_view key;
  bool key_is_bytes = false;
  Value value;
};

std::string type_name(const Value& value);           // "a map", "an array <f4 [1,2]"
std::string str(const std::vector<int64_t>& shape);  // "[1,2]"
std::string quoted(std::string_view text);           // of a stranger, for a message: at most 64 bytes, printable ASCII

}  // namespace ramet::server
