#include "server/wire/message_writer.h"

#include "server/wire/npy.h"

#include <bit>
#include <msgpack/pack.hpp>

namespace ramet::server {
namespace {

class Sink {
 public:
  explicit Sink(std::string& body) : body_(&body) {}
  void write(const char* data, size_t size) { body_->append(data, size); }

 private:
  std::string* body_;
};

// Packs one thing at the end of `body`.
template <class Pack>
void append(std::string& body, const Pack& pack) {
  Sink sink(body);
  msgpack::packer<Sink> packer(sink);
  pack(packer);
}

uint32_t length_of(std::string_view value) { return static_cast<uint32_t>(value.size()); }

}  // namespace

void MessageWriter::nil() {
  append(body_, [](auto& packer) { packer.pack_nil(); });
}
void MessageWriter::boolean(bool value) {
  append(body_, [&](auto& packer) { value ? packer.pack_true() : packer.pack_false(); });
}
void MessageWriter::integer(int64_t value) {
  append(body_, [&](auto& packer) { packer.pack_int64(value); });
}
void MessageWriter::unsigned_integer(uint64_t value) {
  append(body_, [&](auto& packer) { packer.pack_uint64(value); });
}

// By hand: msgpack-cxx turns whole numbers into integers, which Python clients would see as int.
void MessageWriter::number(double value) {
  body_ += '\xcb';
  const auto bits = std::bit_cast<uint64_t>(value);
  for (int shift = 56; shift >= 0; shift -= 8) body_ += static_cast<char>(bits >> shift & 0xFF);
}

void MessageWriter::text(std::string_view value) {
  append(body_, [&](auto& packer) { packer.pack_str(length_of(value)).pack_str_body(value.data(), length_of(value)); });
}
void MessageWriter::bytes(std::string_view value) {
  append(body_, [&](auto& packer) { packer.pack_bin(length_of(value)).pack_bin_body(value.data(), length_of(value)); });
}
void MessageWriter::list(size_t items) {
  append(body_, [&](auto& packer) { packer.pack_array(static_cast<uint32_t>(items)); });
}
void MessageWriter::map(size_t entries) {
  append(body_, [&](auto& packer) { packer.pack_map(static_cast<uint32_t>(entries)); });
}

void MessageWriter::npy_fields(const WrittenArray& array) {
  text("__ndarray_class__");
  boolean(true);
  text("as_npy");
  const std::string header = npy_header(array.descr, array.shape, array.fortran_order);
  append(body_, [&](auto& packer) {
    packer.pack_bin(length_of(header) + length_of(array.bytes));
    packer.pack_bin_body(header.data(), length_of(header));
    packer.pack_bin_body(array.bytes.data(), length_of(array.bytes));
  });
}

void MessageWriter::mnp_fields(const WrittenArray& array) {
  bytes("nd");
  boolean(true);
  bytes("type");
  text(array.descr);
  bytes("kind");
  bytes("");
  bytes("shape");
  list(array.shape.size());
  for (const int64_t dim : array.shape) integer(dim);
  bytes("data");
  bytes(array.bytes);
}

void MessageWriter::array(ArrayForm form, const WrittenArray& array) {
  constexpr size_t kNpyFields = 2, kMnpFields = 5;
  map((form != ArrayForm::mnp ? kNpyFields : 0) + (form != ArrayForm::npy ? kMnpFields : 0));
  if (form != ArrayForm::mnp) npy_fields(array);
  if (form != ArrayForm::npy) mnp_fields(array);
}

void MessageWriter::scalar(std::string_view descr, std::string_view element) {
  map(3);
  bytes("nd");
  boolean(false);
  bytes("type");
  text(descr);
  bytes("data");
  bytes(element);
}

void MessageWriter::complex(std::string_view value) {
  map(2);
  bytes("complex");
  boolean(true);
  bytes("data");
  text(value);
}

}  // namespace ramet::server
