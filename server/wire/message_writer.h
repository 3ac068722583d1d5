// Writes messages as the Python clients expect them: shortest msgpack forms, floats of 64 bits, arrays in a dialect.
//
//   MessageWriter writer;
//   writer.map(1);
//   writer.text("arm");
//   writer.array(ArrayForm::npy, {.descr = "<f4", .shape = {1, 16, 7}, .bytes = …});
//   std::string body = writer.take();
#pragma once

#include "server/wire/value.h"

#include <optional>

namespace ramet::server {

// `universal` carries both dialects at once, for a reader of either; the elements travel twice.
enum class ArrayForm { npy, mnp, universal };

struct WrittenArray {
  std::string_view descr;  // "<f4"
  std::vector<int64_t> shape;
  std::string_view bytes;
  bool fortran_order = false;  // npy only: how `bytes` lie
};

class MessageWriter {
 public:
  void nil();
  void boolean(bool value);
  void integer(int64_t value);
  void unsigned_integer(uint64_t value);
  void number(double value);
  void text(std::string_view value);
  void bytes(std::string_view value);
  void list(size_t items);  // that follow
  void map(size_t entries);
  void array(ArrayForm form, const WrittenArray& array);
  void scalar(std::string_view descr, std::string_view element);  // mnp
  void complex(std::string_view value);                           // mnp

  std::string take() { return std::move(body_); }

 private:
  void npy_fields(const WrittenArray& array);
  void mnp_fields(const WrittenArray& array);

  std::string body_;
};

}  // namespace ramet::server
